// The frame: which view, which index, which colours. A view's state is its address.
import { lists } from "./api.js";
import { h, problem, say } from "./dom.js";

const VIEWS = [["search", "Search"], ["compare", "Compare"], ["zipf", "Zipf"], ["words", "Words"], ["topics", "Topics"], ["bags", "Bags"], ["start", "Start"]];
const main = document.getElementById("main");
const picker = document.getElementById("index");
let held = null;
let turn = 0;

export const state = {
  // What is in the address: a list for each name.
  get parameters() { return new URLSearchParams(location.search); },
  get index() { return this.parameters.get("index") ?? remembered(); },
  get about() { return held?.indexes.find((one) => one.id === this.index); },
  get server() { return held; },
  async refresh() { held = await lists(); fill(); },
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
  document.getElementById("views").replaceChildren(...VIEWS.map(([view, name]) =>
    h("li", {}, h("a", { href: `/${view}${view === "start" || view === "words" ? "" : query}`, "aria-current": view === current() ? "page" : null }, name))));
  const bar = document.querySelector(".top nav"), here = bar.querySelector("[aria-current]");
  if (here) bar.scrollLeft = here.offsetLeft - bar.clientWidth / 2; // on a phone it may be out of sight
}

async function show() {
  const mine = ++turn;
  const view = current();
  try {
    if (!held) held = await lists();
    const module = await import(`./views/${view}.js`);
    if (mine !== turn) return;
    fill();
    if (state.index) localStorage.setItem("index", state.index);
    const root = h("div", {});
    main.replaceChildren(root);
    document.title = `${module.title} · lexfield`;
    if (!held.indexes.length && !["start", "words"].includes(view)) {
      state.go("start", "", { replace: true });
      return;
    }
    await module.render(root, state);
  } catch (error) {
    if (mine === turn) main.replaceChildren(problem(error));
    console.error(error);
  }
}

picker.addEventListener("change", () => {
  localStorage.setItem("index", picker.value);
  const view = current();
  const kept = new URLSearchParams(["search", "bags"].includes(view) ? location.search : "");
  for (const name of ["where", "like"]) kept.delete(name);
  kept.set("index", picker.value);
  state.go(["start", "words"].includes(view) ? "search" : view, kept.toString());
});
addEventListener("popstate", show);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || link.target || link.hasAttribute("download") || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || !VIEWS.some(([view]) => to.pathname === `/${view}`)) return;
  event.preventDefault();
  if (to.pathname === "/search" && !to.search && state.index) to.searchParams.set("index", state.index);
  history.pushState({}, "", to);
  show().then(() => { main.focus({ preventScroll: true }); scrollTo(0, 0); say(document.title); });
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
