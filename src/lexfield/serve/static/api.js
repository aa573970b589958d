// Asking the server: at once, or as a job that shows its progress and ends with the view that wanted it.
import { answered, lost } from "./connection.js";
import { h, say, search } from "./dom.js";

export class Problem extends Error {
  constructor(body, status) { super(body.error ?? "The server returned no answer."); this.hint = body.hint ?? ""; this.status = status; }
}

const GONE = { error: "The server cannot be reached.", hint: "This goes on by itself when it is back. If it was stopped, start it again with: lexfield serve" };
const RENEWED = { error: "The server was restarted with a new token.", hint: "Open the address that it printed when it was started; the token is part of it." };
let missed = false; // a request has failed since the view was drawn
export const hasMissed = () => missed;
export const startAnew = () => { missed = false; };

function unreachable(error) {
  if (error.name === "AbortError") return error;
  missed = true;
  lost();
  return new Problem(GONE, 0);
}

async function ask(path, options = {}) {
  let answer;
  try { answer = await fetch(path, options); } catch (error) { throw unreachable(error); }
  if (answer.status === 401) { missed = true; answered(401); throw new Problem(RENEWED, 0); }
  if (answer.status === 204) { answered(204); return null; }
  const text = await answer.text().catch((error) => { throw unreachable(error); });
  answered(answer.status);
  let body;
  try { body = JSON.parse(text); } catch { body = {}; }
  if (!answer.ok) throw new Problem(body, answer.status);
  return body;
}

export const get = (verb, parameters, signal) => ask(`/v1/${verb}?${search(parameters)}`, { signal });
export const lists = (signal) => ask("/v1/indexes", { signal });
export const remove = (path, options) => ask(`/v1/${path}`, { method: "DELETE", ...options });
export const post = (path, body, signal) => ask(`/v1/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
const upload = (form) => ask("/v1/indexes", { method: "POST", body: form });

export const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null && value !== ""));

// Long texts do not fit into an address.
export function send(verb, parameters, signal) {
  const known = given(parameters);
  return search(known).length < 4000 ? get(verb, known, signal) : post(verb, known, signal);
}

const STATES = { waiting: "waiting for its turn", running: "working" };
const LASTING = ["build", "fit", "models"]; // what they make is kept
const GRACE = 1000; // milliseconds in which a view that is drawn again may take its job up again
const following = new Set(), busy = new WeakMap();

// A closed page waits for nothing.
addEventListener("pagehide", () => { for (const leave of following) leave(); });

function bar(verb) {
  const meter = h("progress", { max: 1, "aria-label": "Progress" }), text = h("span", { class: "small" }, STATES.waiting), stop = h("button", { type: "button" }, "Cancel");
  let spoken = "";
  const show = (job) => {
    if (job.total) meter.value = job.done / job.total; else meter.removeAttribute("value");
    const far = job.total ? `: ${Math.round(100 * job.done / job.total)}%` : job.done ? `: ${job.done.toLocaleString("en")}` : "";
    text.textContent = job.stage ? job.stage + far : STATES[job.state] ?? job.state;
    if (job.stage !== spoken) { spoken = job.stage; say(text.textContent); }
  };
  const hint = LASTING.includes(verb) ? h("span", { class: "small" }, "Leaving this view cancels it.") : null;
  return { box: h("div", { class: "working", role: "group", "aria-label": "Work in progress" }, meter, text, stop, hint), stop, show };
}

// Follows a job until it is over: draws its progress into `place`, returns its answer, or null if it was cancelled.
// The job ends when the view is left (`signal`) or another job takes its place, unless somebody else wants it, too.
async function follow(verb, start, place, signal) {
  busy.get(place)?.abort();
  const own = new AbortController(), left = AbortSignal.any([signal, own.signal]), follower = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
  busy.set(place, own);
  const { box, stop, show } = bar(verb);
  place.replaceChildren(box);
  let job = null, cancelled = false, wake = () => {};
  const leave = () => { following.delete(leave); return job ? remove(`jobs/${job.id}?follower=${follower}`, { keepalive: true }).catch(() => {}) : null; };
  stop.addEventListener("click", async () => { stop.disabled = true; await leave(); cancelled = true; wake(); });
  left.addEventListener("abort", () => wake());
  try {
    job = await start(follower);
    following.add(leave);
    for (let pause = 150; STATES[job.state] && !cancelled; pause = Math.min(1.3 * pause, 1000)) {
      show(job);
      if (!left.aborted) await new Promise((resolve) => { wake = resolve; setTimeout(resolve, pause); });
      left.throwIfAborted();
      if (!cancelled) job = await ask(`/v1/jobs/${job.id}?follower=${follower}`, { signal: left });
    }
    if (job.state === "failed") throw new Problem(job.problem, 0);
    if (cancelled || job.state === "cancelled") { say("Cancelled."); return null; }
    return await ask(`/v1/jobs/${job.id}/result`, { signal: left });
  } finally {
    box.remove();
    if (left.aborted) setTimeout(leave, GRACE); else following.delete(leave);
  }
}

export const work = (verb, options, place, signal) => follow(verb, (follower) => post("jobs", { verb, options: given(options), follower }), place, signal);

export const build = (form, place, signal) => follow("build", (follower) => { form.append("follower", follower); return upload(form); }, place, signal);
