// @ts-check
// A measure of meaning that is learned from groups: what differs within a group no longer counts.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { forgetAnswers, useAnswer, work } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { change, href } from "../lib/route.js";
import { Check, Notes, Outcome, Progress, Select, Table, Trouble, html, number, plural, usePage } from "../lib/ui.js";

const MEASURES = {
  map: "average precision",
  "11pt": "11-point precision",
  rprec: "R-precision",
  kmeans: "pairs that k-means puts right",
};

export function Metric() {
  const { index, about, params } = usePage();
  const fields = Object.keys(about.metadata).filter((name) => {
    const counts = Object.values(about.metadata[name]);
    return counts.length > 1 && counts.filter((count) => count > 1).length > 1;
  });
  const by = fields.includes(params.get("by") ?? "") ? (params.get("by") ?? "") : (fields[0] ?? "");
  const [name, setName] = useState("");
  const [made, setMade] = useState(0);
  const [job, setJob] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  /** @param {string} verb @param {Record<string, any>} options */
  const run = async (verb, options) => {
    leaving.current = new AbortController();
    setProblem(null);
    setJob({ state: "waiting" });
    try {
      await work(verb, { index, ...options }, setJob, leaving.current.signal);
      forgetAnswers();
      setMade((count) => count + 1);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") setProblem(error);
    } finally {
      setJob(null);
    }
  };
  const learn = (event) => {
    event.preventDefault();
    run("learn_metric", { by, name: name.trim() || by });
  };
  return html`<p class="lead">
      Show which documents belong together. What differs within such a group then counts less in a search by meaning.
    </p>
    ${
      by
        ? html`<form class="row controls" onSubmit=${learn} aria-label="Learn from groups">
          <${Select} label="Groups are documents with the same" value=${by} choices=${fields}
            onChange=${(value) => change({ by: value })} />
          <label class="field"><span>Name</span><input name="name" maxlength="60" placeholder=${by} value=${name}
            autocomplete="off" onInput=${(event) => setName(event.target.value)} /></label>
          <button type="submit" class="main" disabled=${!!job}>Learn</button>
        </form>`
        : html`<p class="hint">No field groups these documents. Add a column such as topic, with several of each.</p>`
    }
    ${job && html`<${Progress} job=${job} cancel=${() => (leaving.current.abort(), setJob(null))} />`}
    <${Trouble} problem=${problem} />
    <${Learned} key=${made} run=${run} />
    ${by && html`<${Evaluate} key=${by} by=${by} />`}`;
}

/** Whether a metric finds the members of groups that it was not learned from; nothing is stored. */
function Evaluate({ by }) {
  const { index, about } = usePage();
  const groups = Object.values(about.metadata[by]).filter((count) => count > 1).length;
  const folds = Math.max(2, Math.min(5, Math.floor(groups / 2)));
  const [wanted, setWanted] = useState(false);
  const [grams, setGrams] = useState(false);
  const [sphere, setSphere] = useState(false);
  const options = { index, by, features: grams ? "grams" : null, sphere: sphere || null, kmeans: true, folds };
  const found = useAnswer("evaluate_metric", wanted ? options : null, { job: true });
  return html`<details class="fold" onToggle=${(event) => event.target.open && setWanted(true)}>
    <summary>Would it help?</summary>
    <p class="small">
      Groups are held back in turn. Each of their documents looks for the others, with and without what is learned from
      ${" "}the rest.
    </p>
    <div class="row">
      <${Check} label="By words, not by meaning" title="Words and pairs of function words, as in the paper"
        checked=${grams} onChange=${setGrams} />
      <${Check} label="By angle" title="All documents have the same length" checked=${sphere} onChange=${setSphere} />
    </div>
    <${Outcome} asked=${found} wait="Holding back groups…">
      ${(answer) => html`<div class="spread"><p><strong>${answer.verdict}</strong></p>
          <${Export} verb="evaluate_metric" options=${options} title=${`${index}: by ${by}`}
            results=${answer.results} />
        </div>
        <${Table} caption="Groups that were held back" rows=${answer.results} columns=${[
          ["", (one) => MEASURES[one.measure] ?? one.measure],
          ["without", (one) => one.euclidean, true],
          ["with", (one) => one.metric, true],
          ["difference", (one) => `${number(one.difference)} (${number(one.low)} to ${number(one.high)})`],
        ]} />
        <${Notes} notes=${answer.notes} />`}
    </${Outcome}>
  </details>`;
}

function Learned({ run }) {
  const { index, about } = usePage();
  const options = { index };
  const found = useAnswer("list_metrics", options);
  const search = (one) => href("search", { method: ["mean"], metric: one.name, unit: one.unit });
  const remove = (one) =>
    html`<button type="button" class="link" onClick=${() =>
      run("remove_metric", { name: one.name })}>Remove<span class="unseen"> ${one.name}</span></button>`;
  return html`<${Outcome} asked=${found}>
    ${(answer) =>
      answer.results.length
        ? html`<div class="spread"><h2>Learned so far</h2>
            <${Export} verb="list_metrics" options=${options} title=${`${index}: learned`} results=${answer.results} />
          </div>
          <${Table} caption="How well groups that were held back are found again" rows=${answer.results} columns=${[
            ["name", (one) => html`<a href=${search(one)} title="Search with it">${one.name}</a>`],
            ["learned from", (one) => `${plural(one.rows, one.unit)} in ${number(one.clusters)} groups`],
            ["before", (one) => one.before ?? "", true],
            ["after", (one) => one.after ?? "", true],
            ...(about.uploaded ? [["", remove]] : []),
          ]} />
          <${Notes} notes=${answer.notes} />`
        : html`<p class="hint">Nothing is learned yet. Choose a field and press Learn.</p>`}
  </${Outcome}>`;
}
