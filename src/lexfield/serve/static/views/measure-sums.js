// @ts-check
// Sums of words, such as 3*sea + 2*"the boat" - rain: how every text adds up.
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { change, href } from "../lib/route.js";
import { DocumentLink, Marked, colours } from "../lib/text.js";
import { Notes, Outcome, Select, Typed, html, number, usePage } from "../lib/ui.js";

const METHODS = [
  ["count", "how often"],
  ["frequency", "share of the text"],
  ["bm25", "rare words count more"],
  ["translation", "related words count, too"],
];
const LANGUAGE = [
  ["sea boat", "two words, each once"],
  ["3*sea + 2*boat", "one counts three times, the other twice"],
  ['"the open sea"', "words in this order"],
  ["sea - 0.5*lake", "a word that counts against"],
];

export function Sums() {
  const { index, where, params } = usePage();
  const q = params.get("q") ?? "";
  const method = params.get("method") ?? "count";
  const unit = params.get("unit") ?? "document";
  const k = Number(params.get("k") ?? 10);
  const options = q.trim() ? { index, where, query: q.trim(), method, unit, k } : null;
  const found = useAnswer("bags", options);
  return html`<p class="lead">Weigh the words you want, and see how each text adds up.</p>
    <form class="row controls" onSubmit=${(event) => event.preventDefault()}>
      <label class="field grow"><span>Sum of words</span><${Typed} name="q"
        spellcheck="false" placeholder='3*sea + 2*"the boat" - rain' value=${q}
          onInput=${(text) => change({ q: text }, { typed: "q" })} /></label>
      <${Select} label="Counted by" value=${method} choices=${METHODS}
        onChange=${(value) => change({ method: value })} />
      <${Select} label="Find" value=${unit} choices=${[
        ["document", "documents"],
        ["sentence", "sentences"],
      ]} onChange=${(value) => change({ unit: value })} />
    </form>
    ${
      !q.trim() &&
      html`<ul class="examples">
      ${LANGUAGE.map(
        ([text, meaning]) => html`<li><a href=${href("measure", { tool: "sums", q: text })}>
        <code>${text}</code></a> <span class="small">${meaning}</span></li>`,
      )}
    </ul>`
    }
    ${
      options &&
      html`<${Outcome} asked=${found} wait="Adding up…">
      ${(answer) => {
        const colourOf = colours();
        const top = Math.max(...answer.results.map((hit) => Math.abs(hit.score)), 1e-9);
        return html`<div class="spread">
            <p class="small">
              ${answer.results.length ? "The largest sums" : "No text has any of these words."}</p>
            <${Export} verb="bags" options=${options} title=${`Sums: ${q}`} results=${answer.results} />
          </div>
          ${answer.results.map(
            (hit) => html`<${Sum} key=${hit.id} hit=${hit} top=${top} colourOf=${colourOf}
            digits=${method === "count" ? 6 : 3} />`,
          )}
          ${
            answer.results.length >= k &&
            k < 200 &&
            html`<button type="button"
            onClick=${() => change({ k: String(k + 10) }, { replace: true })}>Show more</button>`
          }
          <${Notes} notes=${answer.notes} />`;
      }}
    </${Outcome}>`
    }`;
}

const sign = (i, value) => (i ? (value < 0 ? " − " : " + ") : value < 0 ? "− " : "");

function Sum({ hit, top, colourOf, digits }) {
  const sums = new Map();
  for (const reason of hit.explanation.reasons) {
    const one = sums.get(reason.query) ?? { value: 0, forms: new Set() };
    one.value += reason.contribution;
    if (reason.match && reason.match !== reason.query) one.forms.add(reason.match);
    sums.set(reason.query, one);
  }
  const terms = [...sums].map(
    ([word, one], i) =>
      html`${sign(i, one.value)}${number(Math.abs(one.value), digits)}${" "}<span
        class="small">(${word}${one.forms.size > 0 && `: ${[...one.forms].join(", ")}`})</span>`,
  );
  const passage = hit.passages[0];
  return html`<article class="hit sum">
    <div class="spread"><h2><${DocumentLink} id=${hit.document} metadata=${hit.metadata}
      sentence=${passage?.sentence ?? null} /></h2><strong>${number(hit.score, digits)}</strong></div>
    <div class="bar" style=${{ width: `${(100 * Math.abs(hit.score)) / top}%` }}></div>
    <p class="terms">${terms} = ${number(hit.score, digits)}</p>
    ${passage && html`<p class="text"><${Marked} passage=${passage} colourOf=${colourOf} /></p>`}
  </article>`;
}
