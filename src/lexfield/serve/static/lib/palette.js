// @ts-check
// Ctrl-K: find a document, a view or a command by typing a few letters.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { useDocuments } from "./documents.js";
import { go, href } from "./route.js";
import { read, titleOf } from "./text.js";
import { html, usePage } from "./ui.js";

/** The dialog is always there, so that it has the focus before the next letter is typed.
 * @type {HTMLDialogElement | null} */
let dialog = null;
export const openPalette = () => dialog?.open || dialog?.showModal();
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  openPalette();
});

const COMMANDS = [
  ["Overview", "overview"],
  ["Search", "search"],
  ["Compare", "compare"],
  ["Map", "map"],
  ["Trends", "trends"],
  ["Topics", "topics"],
  ["Measure: how words are spread (Zipf)", "measure", { tool: "ranks" }],
  ["Measure: sums of words", "measure", { tool: "sums" }],
  ["Measure: related words", "measure", { tool: "words" }],
  ["Measure: whose text is it?", "measure", { tool: "author" }],
  ["Measure: learn from groups", "measure", { tool: "metric" }],
  ["Add texts", "import"],
];
const MOST = 12;
const DOCUMENTS = 7;

export function Palette() {
  const { index, server, about } = usePage();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const entered = useRef(false); // before the documents were there
  const { list, words, busy } = useDocuments(text);
  const fits = (name) => words.every((word) => name.toLowerCase().includes(word));
  const entries = [
    ...(words.length ? list : [])
      .slice(0, DOCUMENTS)
      .map((one) => [
        "Read",
        titleOf(one.id, one.metadata),
        () => read(one.id),
        Object.values(one.metadata).join(" · "),
      ]),
    ...COMMANDS.filter(([name]) => fits(`go to ${name}`)).map(([name, view, values]) => [
      "Go to",
      name,
      () => go(href(/** @type {string} */ (view), /** @type {any} */ (values ?? null))),
    ]),
    ...(server?.indexes ?? [])
      .filter((one) => one.id !== index && fits(`collection ${one.id}`))
      .map((one) => ["Collection", one.id, () => go(`/overview?index=${encodeURIComponent(one.id)}`)]),
    ...(text.trim() && about
      ? [["Search", `for “${text.trim()}”`, () => go(href("search", { q: text.trim() }))]]
      : []),
  ].slice(0, MOST);
  const chosen = Math.min(at, entries.length - 1);
  const pick = (entry) => {
    dialog?.close();
    entry[2]();
  };
  useEffect(() => {
    if (entered.current && !busy && entries[chosen]) pick(entries[chosen]);
    entered.current &&= busy;
  });
  const key = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(entries.length - 1, chosen + step)));
    } else if (event.key === "Enter" && entries[chosen]) {
      event.preventDefault();
      if (busy) entered.current = true;
      else pick(entries[chosen]);
    }
  };
  return html`<dialog class="palette"
    aria-label="Find a document or a command" ref=${(box) => (dialog = box)}
    onClick=${(event) => event.target === dialog && dialog?.close()} onClose=${() => (setText(""), setAt(0))}
  >
    <input type="text"
      autofocus
      role="combobox" aria-label="Document or command" aria-expanded="true" aria-controls="palette-list"
      aria-activedescendant=${entries.length ? `palette-${chosen}` : undefined}
      placeholder="A document, a view, or words to search for" value=${text}
      onInput=${(event) => (setText(event.target.value), setAt(0))} onKeyDown=${key}
    />
    <ul id="palette-list" role="listbox" aria-label="Found">
      ${entries.map(
        (entry, i) =>
          html`<li
            id=${`palette-${i}`}
            role="option" aria-selected=${String(i === chosen)} onClick=${() => pick(entry)}
            onPointerMove=${() => setAt(i)}
          >
            <span class="kind">${entry[0]}</span> <span>${entry[1]}</span>
            <span class="small more">${entry[3]}</span>
          </li>`,
      )}
    </ul>
    ${!entries.length && html`<p class="hint">Nothing is called that. Press Escape to close.</p>`}
  </dialog>`;
}
