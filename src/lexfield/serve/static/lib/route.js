// @ts-check
// The state of the page is its address: a view and its parameters. Back, links and bookmarks follow from that.
import { useEffect, useState } from "../vendor/preact-htm.js";

export const VIEWS = ["overview", "search", "compare", "map", "trends", "topics", "measure", "import", "read"];
// The collection, the filter, the text beside the view.
const SHARED = ["index", "where", "doc", "s", "similar", "find"];
const last = new Map(); // the parameters with which each view was left
const changed = new EventTarget();

/** @typedef {Record<string, import("./types").Value>} Values */

export const viewOf = () => (VIEWS.includes(location.pathname.slice(1)) ? location.pathname.slice(1) : "overview");
/** Is this an address of the page? */
export const isKnown = () => location.pathname === "/" || VIEWS.includes(location.pathname.slice(1));
export const parameters = () => new URLSearchParams(location.search);

/** Values as a query: empty ones are left out, lists are repeated.
 * @param {Values} values */
export function query(values) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "" || value === false) continue;
    for (const one of Array.isArray(value) ? value : [value]) found.append(name, String(one));
  }
  return found.toString();
}

/** An address with the collection and filter of now, in a view as it was left or with these values.
 * @param {string} view @param {Values | null} [values] */
export function href(view, values = null) {
  const now = parameters();
  /** @type {Values} */
  const shared = {};
  for (const name of view === "import" ? ["index"] : SHARED) shared[name] = now.getAll(name);
  if (shared.doc && view === "read") Object.assign(shared, { doc: null, s: null, similar: null, find: null });
  const own = values ?? last.get(view) ?? {};
  const asked = query({ ...shared, ...own });
  return `/${view}${asked ? `?${asked}` : ""}`;
}

function remember() {
  const own = {};
  const now = parameters();
  for (const name of now.keys()) if (!SHARED.includes(name)) own[name] = now.getAll(name);
  last.set(viewOf(), own);
  if (!["read", "import"].includes(viewOf())) latest = viewOf();
}
let latest = "overview";
/** The view that one was in before the text took the whole window. */
export const lastView = () => latest;

/** Go to an address of the page. @param {string} address @param {{ replace?: boolean }} [options] */
export function go(address, { replace = false } = {}) {
  if (address === location.pathname + location.search) return;
  typing = "";
  const before = viewOf();
  history[replace ? "replaceState" : "pushState"]({}, "", address);
  remember();
  changed.dispatchEvent(new CustomEvent("go", { detail: { arrived: before !== viewOf() } }));
}

// The parameter that is being typed: its letters are one step of the history, until Enter or another step.
let typing = "";
addEventListener("popstate", () => (typing = ""));
addEventListener("keydown", (event) => {
  if (event.key === "Enter") typing = "";
});
/** Change some parameters of this view.
 * @param {Values} values @param {{ replace?: boolean, typed?: string }} [options] */
export function change(values, { replace = false, typed = "" } = {}) {
  const now = parameters();
  /** @type {Values} */
  const all = {};
  for (const name of now.keys()) all[name] = now.getAll(name);
  const again = typed !== "" && typing === typed + location.pathname;
  const address = `${location.pathname}${`?${query({ ...all, ...values })}`.replace(/\?$/, "")}`;
  if (address === location.pathname + location.search) {
    if (!typed) typing = "";
    return;
  }
  go(address, { replace: replace || again });
  typing = typed && typed + location.pathname;
}

/** Forget what the views were left with: they are of another collection. */
export const forget = () => last.clear();

/** The view and its parameters; a component that asks is drawn again when they change. */
export function useRoute() {
  const [, set] = useState(0);
  useEffect(() => {
    const listen = () => set((n) => n + 1);
    changed.addEventListener("go", listen);
    addEventListener("popstate", listen);
    return () => {
      changed.removeEventListener("go", listen);
      removeEventListener("popstate", listen);
    };
  }, []);
  return { view: viewOf(), params: parameters() };
}

/** @param {(arrived: boolean) => void} listener */
export const onGo = (listener) =>
  changed.addEventListener("go", (event) => listener(/** @type {CustomEvent} */ (event).detail.arrived));

// A link within the page loads nothing anew.
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !VIEWS.includes(to.pathname.slice(1))) return;
  event.preventDefault();
  go(to.pathname + to.search);
});
