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
  // One by one: a call takes only so many arguments.
  for (const child of children.flat(9)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

export const number = (value, digits = 4) => value === null || value === undefined ? "" : value === 0 ? "0" : Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(digits)).toString();
export const percent = (value) => `${(100 * value).toFixed(1)}%`;

export function say(text) { document.getElementById("said").textContent = text; }

export function problem(error) {
  if (error.name === "AbortError") return ""; // the view was left
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

// A passage in pieces, each with its highlight if it has one. The server counts characters, a string here has two units for some.
export function pieces(passage) {
  const found = [], units = /[\u{10000}-\u{10FFFF}]/u.test(passage.text) ? Array.from(passage.text) : passage.text;
  const cut = (start, end) => (typeof units === "string" ? units.slice(start, end) : units.slice(start, end).join(""));
  let end = 0;
  for (const mark of passage.highlights) {
    if (mark.start > end) found.push([cut(end, mark.start), null]);
    found.push([cut(mark.start, mark.end), mark]);
    end = mark.end;
  }
  if (end < units.length) found.push([cut(end, units.length), null]);
  return found;
}

export function save(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function search(parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, one);
  }
  return query.toString();
}
