// Asking the server: at once, or as a job that shows its progress and can be cancelled.
import { h, say, search } from "./dom.js";

export class Problem extends Error {
  constructor(body, status) { super(body.error ?? "The server gave no answer."); this.hint = body.hint ?? ""; this.status = status; }
}

async function ask(path, options = {}) {
  let answer;
  try { answer = await fetch(path, options); }
  catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ error: "The server cannot be reached.", hint: "Is it still running? Start it again with: lexfield serve" }, 0);
  }
  if (answer.status === 204) return null;
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Problem(body, answer.status);
  return body;
}

export const get = (verb, parameters = {}, signal) => ask(`/v1/${verb}?${search(parameters)}`, { signal });
export const lists = () => ask("/v1/indexes");
export const remove = (path) => ask(`/v1/${path}`, { method: "DELETE" });
export const post = (path, body) => ask(`/v1/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
export const upload = (form) => ask("/v1/indexes", { method: "POST", body: form });

// Long texts do not fit into an address.
export function send(verb, parameters) {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return search(given).length < 4000 ? get(verb, given) : post(verb, given);
}

const STATES = { waiting: "waiting for its turn", running: "working" };

// Follows a job: draws its progress into `place`, gives its answer; a cancelled one gives null.
export async function follow(job, place) {
  const bar = h("progress", { max: 1, "aria-label": "Progress" });
  const text = h("span", { class: "small" }, "waiting for its turn");
  const stop = h("button", { type: "button", onclick: () => { stop.disabled = true; remove(`jobs/${job.id}`).catch(() => {}); } }, "Cancel");
  const box = h("div", { class: "working", role: "group", "aria-label": "Work in progress" }, bar, text, stop);
  place.replaceChildren(box);
  const last = await new Promise((resolve, reject) => {
    const events = new EventSource(`/v1/jobs/${job.id}/events`);
    let spoken = "";
    const told = (event) => {
      const now = JSON.parse(event.data);
      if (now.total) bar.value = now.done / now.total; else bar.removeAttribute("value");
      text.textContent = now.stage ? `${now.stage}${now.total ? `: ${Math.round(100 * now.done / now.total)}%` : now.done ? `: ${now.done.toLocaleString("en")}` : ""}` : STATES[now.state] ?? now.state;
      if (now.stage !== spoken) { spoken = now.stage; say(text.textContent); }
      if (!["waiting", "running"].includes(now.state)) { events.close(); resolve(now); }
    };
    for (const state of ["waiting", "running", "done", "failed", "cancelled"]) events.addEventListener(state, told);
    events.onerror = () => { if (events.readyState === EventSource.CLOSED) reject(new Problem({ error: "The connection to the server was lost." }, 0)); };
  });
  box.remove();
  if (last.state === "failed") throw new Problem(last.problem, 0);
  if (last.state === "cancelled") { say("Cancelled."); return null; }
  return ask(`/v1/jobs/${job.id}/result`);
}

export async function work(verb, options, place) {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return follow(await post("jobs", { verb, options: given }), place);
}
