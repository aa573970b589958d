// Elements without markup: every text goes in as text, so nothing that a user wrote can be a tag.
export function h(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "style") Object.assign(element.style, value);
    else if (name in element && !["list", "form", "for"].includes(name) && typeof value !== "string") element[name] = value;
    else element.setAttribute(name === "for" ? "for" : name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const number = (value, digits = 4) => value === null || value === undefined ? "" : value === 0 ? "0" : Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(digits)).toString();
export const percent = (value) => `${(100 * value).toFixed(1)}%`;

export function say(text) { document.getElementById("said").textContent = text; }

export function problem(error) {
  say(`${error.message} ${error.hint ?? ""}`);
  return h("div", { class: "problem", role: "alert" }, h("strong", {}, error.message), error.hint ? h("div", {}, error.hint) : null);
}

export const notes = (list) => h("div", { class: "notes", hidden: !list?.length }, (list ?? []).map((note) => h("p", { class: "note" }, note)));

export function field(label, control, grow = false) { return h("label", { class: `field${grow ? " grow" : ""}` }, label, control); }

export function select(name, choices, value) {
  const box = h("select", { name });
  for (const choice of choices) {
    const [key, text] = Array.isArray(choice) ? choice : [choice, choice];
    box.append(h("option", { value: key, selected: String(key) === String(value ?? "") }, text));
  }
  return box;
}

export function table(columns, rows, caption) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, columns.map(([title, , numeric]) => h("th", { scope: "col", class: numeric ? "n" : null }, title)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([, get, numeric]) => {
        const value = get(row);
        return h("td", { class: numeric ? "n" : null }, value instanceof Node ? value : numeric && typeof value === "number" ? number(value) : String(value ?? ""));
      }))))));
}

// The words of a text as the library cuts them: letters and digits, with an apostrophe between letters.
const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
export const plain = (word) => word.normalize("NFC").toLowerCase().replaceAll("’", "'");
export function pieces(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(WORDS)) {
    if (match.index > end) found.push([text.slice(end, match.index), null]);
    found.push([match[0], plain(match[0])]);
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push([text.slice(end), null]);
  return found;
}

export function save(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function copyLink() {
  return h("button", { type: "button", onclick: async (event) => {
    try { await navigator.clipboard.writeText(location.href); event.target.textContent = "Copied"; say("The link was copied."); }
    catch { event.target.textContent = "Copy it from the address bar"; }
    setTimeout(() => { event.target.textContent = "Copy link"; }, 2000);
  } }, "Copy link");
}

// Links to the same answer as data; `view` is the page whose twin this is.
export function tools(verb, parameters, { twin, more = [] } = {}) {
  const query = search(parameters);
  const csv = search({ ...parameters, format: "csv" });
  return h("div", { class: "tools" }, more,
    query.length < 6000 ? [
      h("a", { href: `${twin ? `/${twin}.json` : `/v1/${verb}`}?${query}`, target: "_blank", rel: "noopener" }, "JSON"),
      h("a", { href: `/v1/${verb}?${csv}`, download: `${verb}.csv` }, "CSV"),
    ] : null, copyLink());
}

export function search(parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, one);
  }
  return query.toString();
}
