// @ts-check
// A word in its contexts, the word in one column; every line opens its text.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "./api.js";
import { DocumentLink, titleOf } from "./text.js";
import { Outcome, html, number, plural } from "./ui.js";

const STEPS = [10, 100, 1000]; // places of each text
const TEXTS = 3; // as many places in all as this many texts may have
// What stands at a word without a space: a mark that ends something after it, one that opens something before it.
const ENDS = /^(?:[,.;:!?…)\]}’”»%]|["'](?![\p{L}\p{N}])|[-–—]+(?=\S))/u;
const OPENS = /(?:[([{“‘«„¿¡]|(?:^|\s)["']|\S[-–—]+)$/u;

/** `options`: where to look: an index, documents, a filter, or texts. `metadata`: of documents by their ids. `within`:
 * the first sentence that counts, and the first that no longer does. `forms`: other forms of the word count, too.
 * `level`: of the heading. */
export function Concordance({
  word,
  options,
  metadata = {},
  heading = null,
  within = null,
  forms = false,
  level = "h3",
}) {
  const [step, setStep] = useState(0);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const k = within ? 10_000 : STEPS[step];
  const found = useAnswer("kwic", { ...options, word: word.split(/\s*\+\s*/), window: 8, k, forms: forms || null });
  useEffect(() => {
    const isAsked = navigator.userActivation?.hasBeenActive; // a link shows its view from the top
    if (found.answer && isAsked) box.current?.scrollIntoView({ block: "nearest" });
  }, [found.answer]);
  return html`<section class="kwic" aria-label=${`“${word}” in context`} ref=${box}>
    <${Outcome} asked=${found}>
      ${(answer) => {
        const totals = Object.entries(answer.totals);
        const inside = (line) => !within || (line.sentence >= within[0] && line.sentence < within[1]);
        const places = answer.results.filter(inside);
        const lines = places.slice(0, TEXTS * STEPS[step]);
        const all = within ? places.length : totals.reduce((sum, [, count]) => sum + count, 0);
        const varies = forms && places.some((line) => line.match.toLowerCase() !== word.toLowerCase());
        const held = totals.filter(([, count]) => count).length;
        const named = !options.document && !options.text;
        const title = (line) =>
          named ? titleOf(line.document, metadata[line.document]) : `sentence ${number(line.sentence + 1)}`;
        return html`<${level}>
            ${
              heading ??
              html`“${word}” <span
              class="small">${plural(all, "time")}${varies && " in all its forms"}${
                named && `, in ${plural(held, "document")}`
              }</span>`
            }
          </${level}>
          ${!all && html`<p class="hint">“${word}” does not occur here. Try another form of the word.</p>`}
          <ol>
            ${lines.map(
              (line) =>
                html`<li>
                  <span class=${OPENS.test(line.left) ? "left close" : "left"}><bdi>${line.left}</bdi></span> <b
                    >${line.match}</b> <span class=${ENDS.test(line.right) ? "right-side close" : "right-side"}
                      >${line.right}</span>
                  ${
                    !options.text &&
                    html`<${DocumentLink} id=${line.document} text=${title(line)}
                      sentence=${line.sentence} class="small" />`
                  }
                </li>`,
            )}
          </ol>
          ${
            lines.length < all &&
            step < STEPS.length - 1 &&
            html`<p class="small">${number(lines.length)} of ${number(all)} shown. <button type="button"
              class="link" onClick=${() => setStep(step + 1)}>Show more</button></p>`
          }`;
      }}
    </${Outcome}>
  </section>`;
}
