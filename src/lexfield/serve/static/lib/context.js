// @ts-check
// A word in its contexts, the word in one column; every line opens its text.
import { useState } from "../vendor/preact-htm.js";
import { useAnswer } from "./api.js";
import { DocumentLink, titleOf } from "./text.js";
import { Outcome, html, number, plural } from "./ui.js";

const STEPS = [20, 100, 1000];

/** `options`: where to look: an index, documents, a filter, or texts. `metadata`: of documents by their ids. */
export function Concordance({ word, options, metadata = {}, heading = null }) {
  const [step, setStep] = useState(0);
  const found = useAnswer("kwic", { ...options, word: [word], window: 8, k: STEPS[step] });
  return html`<section class="kwic" aria-label=${`“${word}” in context`}>
    <${Outcome} asked=${found}>
      ${(answer) => {
        const totals = Object.entries(answer.totals);
        const all = totals.reduce((sum, [, count]) => sum + count, 0);
        const several = totals.length > 1;
        return html`<h3>
            ${
              heading ??
              html`“${word}” <span
              class="small">${plural(all, "time")}${several && ` in ${plural(totals.length, "document")}`}</span>`
            }
          </h3>
          ${!all && html`<p class="hint">“${word}” does not occur here. Try another form of the word.</p>`}
          <ol>
            ${answer.results.map(
              (line) =>
                html`<li>
                  <span class="left"><bdi>${line.left}</bdi></span> <b>${line.match}</b> <span
                    class="right-side">${line.right}</span>
                  <${DocumentLink} id=${line.document}
                    metadata=${{ title: several ? titleOf(line.document, metadata[line.document]) : `sentence ${number(line.sentence + 1)}` }} sentence=${line.sentence} class="small" />
                </li>`,
            )}
          </ol>
          ${
            answer.results.length < all &&
            step < STEPS.length - 1 &&
            html`<p class="small">${number(answer.results.length)} of ${number(all)} shown. <button type="button"
              class="link" onClick=${() => setStep(step + 1)}>Show more</button></p>`
          }`;
      }}
    </${Outcome}>
  </section>`;
}
