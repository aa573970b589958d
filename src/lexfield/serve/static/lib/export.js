// @ts-check
// Taking an answer away: as a link, a command, Python, curl, CSV, JSON, quotations, or pinned.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { given, post, typed } from "./api.js";
import { addPin } from "./pins.js";
import { query } from "./route.js";
import { quotation } from "./text.js";
import { Menu, Trouble, copy, html, number, save, usePage } from "./ui.js";

/** One row per result and one plain value per cell: what is nested becomes text or columns of its own.
 * @param {Record<string, any>[]} rows */
export function flatten(rows) {
  const flat = rows.map((row) => {
    /** @type {Record<string, string>} */
    const out = {};
    for (const [name, value] of Object.entries(row)) {
      if (LEFT_OUT.includes(name)) continue;
      if (Array.isArray(value)) {
        const plain = value.map((one) => one?.word ?? one).filter((one) => typeof one !== "object" || one === null);
        if (plain.length === value.length && value.length) out[name] = plain.join("; ");
      } else if (value && typeof value === "object") {
        for (const [key, inner] of Object.entries(value))
          if (typeof inner !== "object" || inner === null)
            out[key in row ? `${name}_${key}` : key] = String(inner ?? "");
      } else out[name] = String(value ?? "");
    }
    return out;
  });
  const columns = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  return { columns, rows: flat.map((row) => columns.map((name) => row[name] ?? "")) };
}
const LEFT_OUT = ["explanation", "passages", "source"]; // where a file lay is of no use elsewhere

/** @param {Record<string, any>[]} results */
export function writeCsv(results) {
  const { columns, rows } = flatten(results);
  const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function Snippets({ verb, options }) {
  const [forms, setForms] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const leave = new AbortController();
    post("snippets", { verb, options: typed(given(options)) }, leave.signal).then(setForms, (error) =>
      error.name === "AbortError" ? null : setProblem(error),
    );
    return () => leave.abort();
  }, []);
  if (problem) return html`<${Trouble} problem=${problem} />`;
  const kinds = [
    ["Command", forms?.command],
    ["Python", forms?.python],
    ["curl", forms?.curl],
  ];
  return kinds.map(
    ([name, text]) =>
      html`<div class="snippet">
        <button type="button" disabled=${!text} onClick=${() => copy(text, name)}>${name}</button>
        <pre tabindex="0" aria-label=${`The same as ${name}`}>${text ?? "…"}</pre>
      </div>`,
  );
}

/** The menu beside an answer. `quotes`: what can be quoted of it; `results`: what is exported.
 * @param {{ verb: string, options: Record<string, any>, title: string, results: any[], pin?: boolean,
 *   quotes?: (() => { text: string, source: string }[]) | null, table?: any[] | null }} answer */
export function Export({ verb, options, title, results, quotes = null, pin = true, table = null }) {
  const { index } = usePage();
  const name = `${index ?? "lexfield"}-${verb}`;
  const pinned = () => {
    const shown = table ?? (quotes ? null : results.slice(0, 50));
    const flat = shown && flatten(shown);
    const round = (cell) => (/^-?\d*\.\d{4,}/.test(cell) ? number(Number(cell)) : cell);
    addPin({
      index: index ?? "",
      title,
      quotes: quotes ? quotes() : [],
      table: flat && {
        columns: flat.columns.slice(0, 6),
        rows: flat.rows.map((row) => row.slice(0, 6).map(round)),
      },
    });
  };
  return html`<div class="tools">
    ${pin && html`<button type="button" title="Keep this with a note" onClick=${pinned}>Pin</button>`}
    <${Menu} label="Export" title="Link, command, Python, curl, CSV, JSON">
      ${(close) => html`
        <div class="row menu-row">
          <button type="button" onClick=${() => (copy(location.href, "Link"), close())}>Link</button>
          <button type="button"
            onClick=${() => (save(`${name}.csv`, new Blob([writeCsv(results)], { type: "text/csv" })), close())}>
            CSV
          </button>
          <a href=${`/v1/${verb}?${query(options)}`} target="_blank" rel="noopener">JSON</a>
          ${
            quotes &&
            html`<button
            type="button"
            onClick=${() => (
              copy(
                quotes()
                  .map((one) => quotation(one.text, one.source))
                  .join("\n\n"),
                "Quotations",
              ),
              close()
            )}
          >
            Quotations
          </button>`
          }
        </div>
        <${Snippets} verb=${verb} options=${options} />
      `}
    </${Menu}>
  </div>`;
}
