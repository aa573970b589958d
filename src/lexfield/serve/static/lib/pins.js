// @ts-check
// Pinned results with notes, kept in this browser; a project is what is pinned of one collection.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { randomId } from "./api.js";
import { Trouble, Typed, html, save, toast, usePage } from "./ui.js";

/** @typedef {{ id: string, index: string, title: string, address: string, at: string, note: string,
 *   quotes: { text: string, source: string }[], figure: string,
 *   table: { columns: string[], rows: string[][] } | null }} Pin */

const KEY = "pins";
const changed = new EventTarget();

/** @returns {Pin[]} */
function load() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Keep pins, and return whether there was room for them. @param {Pin[]} pins */
function store(pins) {
  try {
    localStorage.setItem(KEY, JSON.stringify(pins));
  } catch {
    toast("This browser has no room for more pins. Remove some first.");
    return false;
  }
  changed.dispatchEvent(new Event("change"));
  return true;
}

/** @param {Partial<Pin> & { title: string, index: string }} pin */
export function addPin(pin) {
  const whole = {
    id: randomId(),
    address: location.pathname + location.search,
    at: new Date().toISOString(),
    note: "",
    quotes: [],
    figure: "",
    table: null,
    ...pin,
  };
  if (store([...load(), whole])) toast("Pinned. Pins and notes stay on this machine.");
}

export function usePins() {
  const [pins, set] = useState(load);
  useEffect(() => {
    const listen = () => set(load());
    changed.addEventListener("change", listen);
    addEventListener("storage", listen); // another tab
    return () => {
      changed.removeEventListener("change", listen);
      removeEventListener("storage", listen);
    };
  }, []);
  return pins;
}

/** Remove a pin; the keyboard goes on at the next, or at the heading. @param {HTMLElement} item @param {string} id */
function remove(item, id) {
  const near = item.nextElementSibling ?? item.previousElementSibling;
  const next = near ? near.querySelector("button") : item.closest("aside")?.querySelector("h2");
  next?.focus();
  store(load().filter((other) => other.id !== id));
}

const edit = (id, values) => store(load().map((one) => (one.id === id ? { ...one, ...values } : one)));

export function Pins({ close }) {
  const { index } = usePage();
  const pins = usePins();
  const [all, setAll] = useState(false);
  const shown = pins.filter((one) => all || one.index === index);
  useEffect(() => {
    const leave = (event) => event.key === "Escape" && close();
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, []);
  const report = () =>
    save(`${index ?? "lexfield"}-report.html`, new Blob([writeReport(index, shown)], { type: "text/html" }));
  return html`<aside class="pins" aria-label="Pins">
    <div class="spread">
      <h2 tabindex="-1">Pins</h2>
      <button type="button" class="quiet" aria-label="Close the pins" onClick=${close}>Close</button>
    </div>
    <p class="small">Results and notes that you keep. They stay in this browser.</p>
    ${
      shown.length > 0 &&
      html`<div class="row"><button type="button" class="main" onClick=${report}>Save as a report</button></div>`
    }
    ${!shown.length && html`<p class="hint">Nothing yet: choose “Pin” beside a result or a figure.</p>`}
    ${
      pins.length > shown.length &&
      html`<button type="button" class="quiet" onClick=${() => setAll(true)}>
      Show ${pins.length - shown.length} of other collections
    </button>`
    }
    <ul>
      ${shown.map(
        (one) =>
          html`<li key=${one.id}>
            <a href=${one.address}>${one.title}</a>
            ${one.quotes.slice(0, 1).map((quote) => html`<blockquote>${quote.text}</blockquote>`)}
            <${Typed} tag="textarea" rows="2" placeholder="Your note" aria-label=${`Note on ${one.title}`}
              value=${one.note} onKeyDown=${() => {}} onInput=${(note) => edit(one.id, { note })} />
            <button type="button" class="quiet" aria-label=${`Remove ${one.title}`}
              onClick=${(event) => remove(event.target.closest("li"), one.id)}>Remove</button>
          </li>`,
      )}
    </ul>
  </aside>`;
}

/** @param {string} text */
const escape = (text) =>
  text.replace(
    /[&<>"']/g,
    (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[one] ?? one,
  );

const REPORT_STYLE = `
body { font: 17px/1.6 Charter, Georgia, serif; max-width: 54rem; margin: 3rem auto; padding: 0 1rem; color: #1b2430 }
h1, h2, .note, .source, table { font-family: system-ui, sans-serif }
h2 { margin-top: 2.5rem; font-size: 1.15rem }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid #1f5fa8 }
.source { color: #55606e; font-size: .85rem }
.note { background: #fff5e0; border-radius: 8px; padding: .6rem .9rem; font-size: .95rem; white-space: pre-wrap }
figure { margin: 1rem 0 } img { max-width: 100%; height: auto }
table { border-collapse: collapse; font-size: .9rem }
td, th { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #d8dde4 }
`;

/** One page that needs nothing else: texts, notes, figures. @param {string | undefined} index @param {Pin[]} pins */
export function writeReport(index, pins) {
  const day = new Date().toISOString().slice(0, 10);
  const table = ({ columns, rows }) =>
    `<table><tr>${columns.map((one) => `<th>${escape(one)}</th>`).join("")}</tr>${rows
      .map((row) => `<tr>${row.map((one) => `<td>${escape(one)}</td>`).join("")}</tr>`)
      .join("")}</table>`;
  const quote = ({ text, source }) =>
    `<blockquote>${escape(text)}<div class="source">${escape(source)}</div></blockquote>`;
  const figure = (pin) => `<figure><img alt="${escape(pin.title)}" src="${pin.figure}"></figure>`;
  const parts = pins.map(
    (pin) => `<section><h2>${escape(pin.title)}</h2>
${pin.note ? `<p class="note">${escape(pin.note)}</p>` : ""}
${pin.quotes.map(quote).join("\n")}
${pin.figure.startsWith("data:image/svg+xml;base64,") ? figure(pin) : ""}
${pin.table ? table(pin.table) : ""}
<p class="source">${escape(pin.index)}, ${escape(pin.at.slice(0, 10))}: ${escape(pin.address)}</p></section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(index ?? "lexfield")}: report</title><style>${REPORT_STYLE}</style></head>
<body><h1>${escape(index ?? "lexfield")}</h1><p class="source">Made with lexfield on ${day}</p>
${parts.join("\n")}
</body></html>
`;
}
