// Whether the server can be reached. It is asked now and then, and more often while it is gone.
const EVERY = 5000, AGAIN = 1500, PATIENCE = 15000; // milliseconds
const events = new EventTarget();
let gone = false;

export const onGone = (listener) => events.addEventListener("gone", listener);
export const onBack = (listener) => events.addEventListener("back", listener);

export function lost() {
  if (gone) return;
  gone = true;
  events.dispatchEvent(new Event("gone"));
}

export function reached() {
  if (!gone) return;
  gone = false;
  events.dispatchEvent(new Event("back"));
}

// Any answer will do: it is there.
async function probe() {
  try { await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) }); reached(); }
  catch { lost(); }
}

async function watch() {
  if (gone || !document.hidden) await probe();
  setTimeout(watch, gone ? AGAIN : EVERY);
}
setTimeout(watch, EVERY);
