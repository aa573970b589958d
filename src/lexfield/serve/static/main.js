// The frame: which view, which index, which colours. A view's state is its address.
import { hasMissed, lists, startAnew } from "./api.js";
import { onBack, onGone, onRenewed } from "./connection.js";
import { h, problem, say } from "./dom.js";
import { keepPlace } from "./place.js";
import * as bags from "./views/bags.js";
import * as compare from "./views/compare.js";
import * as find from "./views/search.js";
import * as start from "./views/start.js";
import * as topics from "./views/topics.js";
import * as words from "./views/words.js";
import * as zipf from "./views/zipf.js";

const VIEWS = { search: find, compare, zipf, words, topics, bags, start };
const main = document.getElementById("main");
const picker = document.getElementById("index");
let held = null;
let drawn = null; // the view that is on the screen
let view = new AbortController(); // ends with it

export const state = {
  // What is in the address: a list for each name.
  get parameters() { return new URLSearchParams(location.search); },
  get index() { return this.parameters.get("index") ?? remembered(); },
  get about() { return held?.indexes.find((one) => one.id === this.index); },
  get server() { return held; },
  async refresh() { held = await lists(this.signal); fill(); },
  // Go to another state: an address, so that it can be linked to and come back to.
  go(view, query = "", { replace = false } = {}) {
    const address = `/${view}${query ? `?${query}` : ""}`;
    history[replace ? "replaceState" : "pushState"]({}, "", address);
    show();
  },
};

function remembered() {
  const ids = held?.indexes.map((one) => one.id) ?? [];
  const last = localStorage.getItem("index");
  return ids.includes(last) ? last : ids[0];
}

const current = () => location.pathname.slice(1) || "search";

function fill() {
  picker.replaceChildren(...held.indexes.map((one) => h("option", { value: one.id, selected: one.id === state.index }, one.id)));
  document.getElementById("index-pick").hidden = !held.indexes.length;
  const query = state.index ? `?index=${encodeURIComponent(state.index)}` : "";
  document.getElementById("views").replaceChildren(...Object.entries(VIEWS).map(([name, { title }]) =>
    h("li", {}, h("a", { href: `/${name}${name === "start" || name === "words" ? "" : query}`, "aria-current": name === current() ? "page" : null }, title))));
}

// Draws the view of the address. What the last one was waiting for is no longer waited for.
async function show({ fields = false, arrive = false } = {}) {
  view.abort();
  const mine = view = new AbortController(), name = current(), module = VIEWS[name];
  const restore = keepPlace(main, { fields, here: drawn === name });
  startAnew();
  try {
    if (!held) held = await lists(mine.signal);
    if (mine.signal.aborted) return;
    fill();
    if (state.index) localStorage.setItem("index", state.index);
    document.title = `${module.title} · lexfield`;
    if (!held.indexes.length && !["start", "words"].includes(name)) {
      state.go("start", "", { replace: true });
      return;
    }
    const root = h("div", {});
    main.replaceChildren(root);
    drawn = name;
    const drawing = module.render(root, Object.create(state, { signal: { value: mine.signal } }));
    if (arrive) { main.focus({ preventScroll: true }); scrollTo(0, 0); say(document.title); } else restore();
    await drawing;
    if (!mine.signal.aborted) restore();
  } catch (error) {
    if (mine.signal.aborted) return;
    drawn = null;
    main.style.minHeight = "";
    main.replaceChildren(problem(error));
    if (error.status !== 0) console.error(error);
  }
}

const banners = { gone: document.getElementById("gone"), renewed: document.getElementById("renewed") };
function tell(name) {
  for (const [other, banner] of Object.entries(banners)) banner.hidden = other !== name;
  if (name) say(banners[name].textContent);
}
onGone(() => tell("gone"));
onRenewed(() => tell("renewed"));
onBack(async () => {
  tell(null);
  say("The server is back.");
  if (!drawn || (hasMissed() && VIEWS[drawn].recovers !== false)) { await show({ fields: true }); }
});
addEventListener("pageshow", (event) => { if (event.persisted) show({ fields: true }); });

picker.addEventListener("change", () => {
  localStorage.setItem("index", picker.value);
  const view = current();
  const kept = new URLSearchParams(["search", "bags"].includes(view) ? location.search : "");
  for (const name of ["where", "like"]) kept.delete(name);
  kept.set("index", picker.value);
  state.go(["start", "words"].includes(view) ? "search" : view, kept.toString());
});
addEventListener("popstate", () => show());
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || link.target || link.hasAttribute("download") || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !(to.pathname.slice(1) in VIEWS)) return;
  event.preventDefault();
  if (to.pathname === "/search" && !to.search && state.index) to.searchParams.set("index", state.index);
  history.pushState({}, "", to);
  show({ arrive: true });
});

// "/" goes to the first field, as on many pages.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const first = main.querySelector("textarea, input:not([type=checkbox], [type=radio])");
  if (first) { event.preventDefault(); first.focus(); first.select?.(); }
});

const THEMES = ["auto", "light", "dark"];
const LABELS = { auto: ["◐", "Colours: as the system"], light: ["☀", "Colours: light"], dark: ["☾", "Colours: dark"] };
const button = document.getElementById("theme");
const theme = () => localStorage.getItem("theme") ?? "auto";
function paint() {
  const [sign, text] = LABELS[theme()] ?? LABELS.auto;
  button.textContent = sign;
  button.setAttribute("aria-label", `${text}. Change`);
  button.title = text;
}
button.addEventListener("click", () => {
  localStorage.setItem("theme", THEMES[(THEMES.indexOf(theme()) + 1) % 3]);
  paint();
  dispatchEvent(new Event("themechoice"));
});
paint();
show();
