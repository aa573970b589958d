// @ts-check
// Asking the server: at once, or as a job with progress. Every question ends with the view that asked it.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { answered, lost, onBack } from "./connection.js";
import { query } from "./route.js";

/** @typedef {import("./types").Verbs} Verbs @typedef {import("./types").Value} Value */
/** @typedef {import("./types").Job} Job */

export class Problem extends Error {
  /** @param {{ error?: string, hint?: string }} body @param {number} [status] */
  constructor(body, status = 0) {
    super(body.error ?? "The server gave no answer.");
    this.hint = body.hint ?? "";
    this.status = status;
  }
}

const GONE = { error: "The server cannot be reached.", hint: "This goes on by itself when it is back." };
const RENEWED = {
  error: "The server was restarted with a new token.",
  hint: "Open the address that it printed; the token is part of it.",
};

/** @param {any} error */
function unreachable(error) {
  if (error.name === "AbortError") return error;
  lost();
  return new Problem(GONE);
}

/** @param {string} path @param {RequestInit} [options] @returns {Promise<any>} */
export async function ask(path, options = {}) {
  const answer = await fetch(path, options).catch((error) => {
    throw unreachable(error);
  });
  answered(answer.status);
  if (answer.status === 401) throw new Problem(RENEWED);
  if (answer.status === 204) return null;
  const text = await answer.text().catch((error) => {
    throw unreachable(error);
  });
  let body = {};
  try {
    body = JSON.parse(text);
  } catch {
    /* an answer of a server in between */
  }
  if (!answer.ok) throw new Problem(body, answer.status);
  return body;
}

/** @param {string} path @param {object} body @param {AbortSignal} [signal] */
export const post = (path, body, signal) =>
  ask(`/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
/** @param {string} path @param {RequestInit} [options] */
export const remove = (path, options) => ask(`/v1/${path}`, { method: "DELETE", ...options });
/** @param {AbortSignal} [signal] @returns {Promise<import("./types").Holdings>} */
export const holdings = (signal) => ask("/v1/indexes", { signal });

/** @param {Record<string, any>} options */
export const given = (options) =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([, value]) => ![undefined, null, "", false].includes(value) && value?.length !== 0,
    ),
  );

/** Ask a verb; what is too long for an address is posted.
 * @template {keyof Verbs} V @param {V} verb @param {{ [K in Verbs[V]["parameters"]]?: Value }} options
 * @param {AbortSignal} [signal] @returns {Promise<Verbs[V]["answer"]>} */
export function call(verb, options, signal) {
  const asked = query(options);
  return asked.length < 4000
    ? ask(`/v1/${String(verb)}?${asked}`, { signal })
    : post(String(verb), given(options), signal);
}

const UNDER_WAY = ["waiting", "running"];
const GRACE = 1000; // milliseconds in which a view that is drawn again may take its job up again
const following = new Set();
addEventListener("pagehide", () => following.forEach((leave) => leave())); // a closed page waits for nothing

/** A name that nothing else has; randomUUID is missing where a page is not served from this machine. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");

/** Follow a job until it is over. It ends when its view is left, unless somebody else wants it, too.
 * @param {(follower: string) => Promise<Job>} start @param {(job: Job) => void} show @param {AbortSignal} signal */
export async function follow(start, show, signal) {
  const follower = randomId();
  /** @type {Job | null} */
  let job = null;
  const leave = () => {
    following.delete(leave);
    return job && remove(`jobs/${job.id}?follower=${follower}`, { keepalive: true }).catch(() => {});
  };
  try {
    job = await start(follower);
    following.add(leave);
    for (let pause = 120; UNDER_WAY.includes(job.state ?? ""); pause = Math.min(1.3 * pause, 1000)) {
      show(job);
      await new Promise((resolve) => {
        setTimeout(resolve, pause);
        signal.addEventListener("abort", resolve, { once: true });
      });
      signal.throwIfAborted();
      job = /** @type {Job} */ (await ask(`/v1/jobs/${job.id}?follower=${follower}`, { signal }));
    }
    if (job.problem) throw new Problem(/** @type {any} */ (job.problem));
    if (job.state === "cancelled") throw new Problem({ error: "This was cancelled.", hint: "Start it again." });
    return await ask(`/v1/jobs/${job.id}/result`, { signal });
  } finally {
    if (signal.aborted) setTimeout(leave, GRACE);
    else following.delete(leave);
  }
}

/** Run a verb as a job. Its start is never given up half-way: then nobody would know which job to leave.
 * @param {string} verb @param {Record<string, any>} options
 * @param {(job: Job) => void} show @param {AbortSignal} signal */
export const work = (verb, options, show, signal) =>
  follow((follower) => post("jobs", { verb, options: typed(given(options)), follower }), show, signal);

const TOO_SLOW = 504; // what a request took, up to the server's limit
const NOTHING = { key: "", answer: null, problem: null, busy: false, job: null };
const kept = new Map(); // answers of late, so that going back is immediate
const KEEP = 40;
export const forgetAnswers = () => kept.clear();
/** @param {string} key @param {any} answer */
function keep(key, answer) {
  kept.delete(key);
  kept.set(key, answer);
  if (kept.size > KEEP) kept.delete(kept.keys().next().value);
}

/** @type {Map<string, { count: number, leave: AbortController, answer: Promise<any> }>} */
const asking = new Map(); // questions under way: several parts of the page may ask the same

const forget = (key, leave) => asking.get(key)?.leave === leave && asking.delete(key);

/** Ask once for all who ask the same now; it is given up when the last of them has left.
 * @param {string} key @param {(signal: AbortSignal) => Promise<any>} start @param {AbortSignal} signal */
function share(key, start, signal) {
  let one = asking.get(key);
  if (!one) {
    const leave = new AbortController();
    one = { count: 0, leave, answer: start(leave.signal).finally(() => forget(key, leave)) };
    asking.set(key, one);
  }
  const { leave } = one;
  one.count++;
  const left = () => {
    if (--one.count) return;
    forget(key, leave);
    leave.abort();
  };
  signal.addEventListener("abort", left, { once: true });
  return one.answer;
}

/** The answer to a question, and how far it is. The last answer stays until the next one is there.
 * `options` is null as long as there is nothing to ask.
 * @template {keyof Verbs} V @param {V} verb @param {{ [K in Verbs[V]["parameters"]]?: Value } | null} options
 * @param {{ job?: boolean }} [how]
 * @returns {{ answer: Verbs[V]["answer"] | null, problem: Problem | null, busy: boolean, job: Job | null,
 *   cancel: () => void, retry: () => void }} */
export function useAnswer(verb, options, { job = false } = {}) {
  const key = options ? `${String(verb)}?${query(options)}` : "";
  const [state, set] = useState(/** @type {any} */ (NOTHING));
  const [attempt, retry] = useState(0);
  const leaving = useRef(/** @type {AbortController | null} */ (null));
  useEffect(() => onBack(() => set((old) => (old.problem?.status === 0 ? (retry((n) => n + 1), old) : old))), []);
  // Before the next paint: an effect would wait for it, and a frame or two would be lost with every question.
  useLayoutEffect(() => {
    if (!options) return set(NOTHING);
    if (kept.has(key)) return set({ ...NOTHING, key, answer: kept.get(key) });
    const leave = (leaving.current = new AbortController());
    set((old) => ({ ...old, problem: null, busy: true, job: null }));
    const show = (now) => !leave.signal.aborted && set((old) => ({ ...old, job: now }));
    const begin = () => work(String(verb), options, show, leave.signal);
    const asked = job
      ? begin()
      : share(key, (signal) => call(verb, options, signal), leave.signal).catch((problem) => {
          if (problem.status !== TOO_SLOW) throw problem;
          return begin(); // as a job it may take longer
        });
    asked.then(
      (answer) => {
        if (leave.signal.aborted) return;
        keep(key, answer);
        set({ ...NOTHING, key, answer });
      },
      (problem) => {
        if (problem.name === "AbortError") return;
        set({ ...NOTHING, key, problem });
      },
    );
    return () => leave.abort();
  }, [key, attempt]);
  const cancel = () => {
    leaving.current?.abort();
    const problem = new Problem({ error: "Cancelled.", hint: "Change something, or start it again." }, 1);
    set({ ...NOTHING, key, problem });
  };
  // What is kept is there at once. What was asked before is no answer to another verb or to nothing.
  const now = kept.has(key) && state.key !== key ? { ...NOTHING, key, answer: kept.get(key) } : state;
  const answer = options && now.key.split("?")[0] === verb ? now.answer : null;
  const busy = now.busy || (!!options && now.key !== key && !now.problem);
  return { ...now, answer, busy, cancel, retry: () => retry((n) => n + 1) };
}

/** Values of an address as a job takes them: numbers and truths. @param {Record<string, any>} options */
export function typed(options) {
  const one = (value) => (Array.isArray(value) ? value : value === "true" ? true : value === "false" ? false : value);
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, one(value)]));
}
