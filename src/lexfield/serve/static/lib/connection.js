// @ts-check
// Whether the server can be reached, and lets us in. It is asked now and then, and more often while it is gone.
const EVERY = 5000,
  AGAIN = 1500,
  PATIENCE = 15000; // milliseconds
const events = new EventTarget();
let state = "back"; // or "gone", or "renewed": started again with another token

/** @param {string} name */
const hear = (name) => (/** @type {() => void} */ listener) => {
  events.addEventListener(name, listener);
  return () => events.removeEventListener(name, listener);
};
export const onGone = hear("gone"),
  onRenewed = hear("renewed"),
  onBack = hear("back");

function become(next) {
  if (state === next) return;
  state = next;
  events.dispatchEvent(new Event(next));
}

export const lost = () => become("gone");

// An answer of the server: 401 says that our token is of an earlier run, 429 says nothing about us.
export function answered(status) {
  if (status === 401) become("renewed");
  else if (status !== 429) become("back");
}

async function probe() {
  try {
    answered((await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })).status);
  } catch {
    lost();
  }
}

// A server that has refused our token will refuse it again: it is not asked until somebody comes back to this page.
async function watch() {
  if (state === "gone" || (state === "back" && !document.hidden)) await probe();
  setTimeout(watch, state === "gone" ? AGAIN : EVERY);
}
setTimeout(watch, EVERY);
document.addEventListener("visibilitychange", () => {
  if (state === "renewed" && !document.hidden) probe();
});
