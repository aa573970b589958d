// What stands beside an answer: the same answer as data, a link to it, and the same question for use elsewhere.
import { given, post } from "./api.js";
import { h, problem, say, search } from "./dom.js";

const PAUSE = 2000; // milliseconds for which a button says what it has done

async function copy(button, text) {
  const label = button.textContent;
  try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; say(`${label}: copied.`); }
  catch { button.textContent = "Copy it by hand"; }
  setTimeout(() => { button.textContent = label; }, PAUSE);
}

const copyLink = () => h("button", { type: "button", onclick: (event) => copy(event.target, location.href) }, "Copy link");

// A menu: the question as a command, as Python or as a request of curl. The server writes them, as it knows how each verb is declared.
function copyAs(verb, parameters) {
  const list = h("div", { class: "menu-list" }), menu = h("details", { class: "menu" }, h("summary", {}, "Copy as…"), list);
  const close = () => { menu.open = false; };
  menu.addEventListener("toggle", async () => {
    if (!menu.open || list.childElementCount) return;
    try {
      const forms = await post("snippets", { verb, options: given(parameters) });
      list.replaceChildren(...[["Command", forms.command], ["Python", forms.python], ["curl", forms.curl]].map(([name, text]) =>
        h("div", { class: "snippet" }, h("button", { type: "button", onclick: (event) => copy(event.target, text) }, name), h("pre", { tabindex: "0", "aria-label": name }, text))));
    } catch (error) { list.replaceChildren(problem(error)); }
  });
  menu.addEventListener("keydown", (event) => { if (event.key === "Escape") { close(); menu.firstChild.focus(); } });
  menu.addEventListener("focusout", (event) => { if (event.relatedTarget && !menu.contains(event.relatedTarget)) close(); });
  return menu;
}

// `twin` is the view whose twin in JSON this is.
export function tools(verb, parameters, { twin } = {}) {
  const query = search(parameters);
  const csv = search({ ...parameters, format: "csv" });
  return h("div", { class: "tools" },
    query.length < 6000 ? [
      h("a", { href: `${twin ? `/${twin}.json` : `/v1/${verb}`}?${query}`, target: "_blank", rel: "noopener" }, "JSON"),
      h("a", { href: `/v1/${verb}?${csv}`, download: `${verb}.csv` }, "CSV"),
    ] : null, copyAs(verb, parameters), copyLink());
}
