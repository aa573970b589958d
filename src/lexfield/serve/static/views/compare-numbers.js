// @ts-check
// Two texts in numbers: the words that tell them apart, other measures with an interval, and their counts joined.
import { useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { Check, Notes, Outcome, Select, Table, Typed, html, number, plural, usePage } from "../lib/ui.js";

const MEASURES = {
  js: ["Jensen–Shannon, of their words", { measure: "js" }],
  kl: ["Kullback–Leibler, of their words", { measure: "kl" }],
  shared: ["Kullback–Leibler, of the words that both have", { measure: "kl", smoothing: "shared" }],
  renyi: ["Rényi (α = ½), of their words", { measure: "renyi(0.5)" }],
  clouds: ["Kullback–Leibler, of their clouds of word vectors", { measure: "kl", space: "latent", stopwords: null }],
  limit: ["the same, as the limit of Rényi's", { measure: "renyi(1)", space: "latent", stopwords: null }],
  flat: ["the same, without the dimension", { measure: "kl", space: "latent", exponent: "1", stopwords: null }],
};
const OPERATIONS = [
  ["sum", "sum: all of both"],
  ["union", "union: the larger count"],
  ["intersection", "intersection: the smaller count"],
  ["difference", "difference: A without B"],
];

export function Numbers({ answer, options, words }) {
  const isPair = !options.a_where && !options.b_where;
  return html`<details class="quiet-fold">
    <summary>Numbers</summary>
    <p>Difference (Jensen–Shannon): <strong
      class="value">
        ${number(answer.results[0].value, 4)}</strong> of 1; 0 means the same words equally often, 1 no word in common.
    </p>
    <${Table}
      caption="The words that tell them apart"
      columns=${[
        ["word", (each) => each.word],
        ["per 1,000 in A", (each) => each.a, true],
        ["per 1,000 in B", (each) => each.b, true],
        ["adds", (each) => each.adds, true],
      ]}
      rows=${words.slice(0, 60)}
    />
    <${Notes} notes=${answer.notes} />
    <${Measured} options=${options} />
    ${isPair && html`<${Joined} options=${options} />`}
  </details>`;
}

/** The divergence by another measure, and how sure it is. */
function Measured({ options }) {
  const [wanted, setWanted] = useState(false);
  const [name, setName] = useState("kl");
  const asked = { ...options, bits: null, explain: false, interval: 0.95, ...MEASURES[name][1] };
  const found = useAnswer("compare", wanted ? asked : null, { job: true });
  return html`<details class="fold" onToggle=${(event) => event.target.open && setWanted(true)}>
    <summary>Other measures</summary>
    <${Select} label="Measured by" value=${name} onChange=${setName}
      choices=${Object.entries(MEASURES).map(([key, [title]]) => [key, title])} />
    <${Outcome} asked=${found} wait="Drawing the words again and again…">
      ${(answer) => {
        const one = answer.results[0];
        return html`<div class="spread">
            <p>
              ${one.possible ? html`<strong>${number(one.value, 4)}</strong> ${one.unit}` : "No possible value"}
              ${one.interval && `, with 95% confidence ${number(one.interval[0])} to ${number(one.interval[1])}`}.
              ${" "}Entropies: ${number(one.entropy[0])} (A), ${number(one.entropy[1])} (B).
            </p>
            <${Export} verb="compare" options=${asked} title=${MEASURES[name][0]} results=${answer.results} />
          </div>
          <${Notes} notes=${answer.notes} />`;
      }}
    </${Outcome}>
  </details>`;
}

/** Both texts as multisets of words, joined into one. */
function Joined({ options }) {
  const { index } = usePage();
  const [wanted, setWanted] = useState(false);
  const [operation, setOperation] = useState("intersection");
  const [keepCase, setKeepCase] = useState(false);
  const [phrase, setPhrase] = useState("");
  const asked = {
    index,
    texts: options.a,
    text_texts: options.text_a,
    other: options.b,
    text_other: options.text_b,
    operation,
    keep_case: keepCase || null,
    phrases: phrase.trim() ? [phrase.trim()] : null,
    k: 20,
  };
  const found = useAnswer("bag", wanted ? asked : null);
  return html`<details class="fold" onToggle=${(event) => event.target.open && setWanted(true)}>
    <summary>Their counts of words, joined</summary>
    <div class="row">
      <${Select} label="Joined as" value=${operation} choices=${OPERATIONS} onChange=${setOperation} />
      <label class="field"><span>A phrase that is one word</span><${Typed} value=${phrase}
          onInput=${setPhrase} /></label>
      <${Check} label="With capitals" title="Count Misses and misses as different words" checked=${keepCase}
        onChange=${setKeepCase} />
    </div>
    <${Outcome} asked=${found} wait="Counting…">
      ${(answer) => html`<div class="spread">
          <p class="small">${plural(answer.types, "different word")}, ${plural(answer.tokens, "word")} in all.
            A is ${answer.included ? "" : "not "}contained in B.</p>
          <${Export} verb="bag" options=${asked} title=${`Counts: ${operation}`} results=${answer.results} />
        </div>
        <${Table} caption=${`The most frequent words of the ${operation}`} rows=${answer.results} columns=${[
          ["word", (one) => one.type],
          ["times", (one) => one.count, true],
        ]} />`}
    </${Outcome}>
  </details>`;
}
