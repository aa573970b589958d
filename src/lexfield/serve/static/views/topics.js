// @ts-check
// What the documents are about: topics, their words, their documents, and how they are spread.
import { useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { useAnswer, work } from "../lib/api.js";
import { Concordance } from "../lib/context.js";
import { Export } from "../lib/export.js";
import { anyOf, narrow } from "../lib/filter.js";
import { keepPaste, usePaste } from "../lib/pastes.js";
import { change, href } from "../lib/route.js";
import { DocumentLink } from "../lib/text.js";
import {
  Check,
  Notes,
  Outcome,
  Progress,
  Select,
  Trouble,
  fieldName,
  html,
  number,
  percent,
  plural,
  usePage,
} from "../lib/ui.js";

export function Topics() {
  const { about } = usePage();
  return html`<h1>Topics</h1>
    <p class="lead">Words that keep company form a topic; every document is a mixture of topics.</p>
    ${about.topics ? html`<${List} />` : html`<${Fit} heading="This collection has no topics yet" open />`}`;
}

const DISTANCES = [
  ["js", "Jensen–Shannon"],
  ["hellinger", "Hellinger"],
  ["kl", "Kullback–Leibler"],
  ["triangle", "triangle divergence"],
  ["capacitory", "capacitory discrimination"],
];
const SEARCHES = [
  ["certified", "exactly"],
  ["kdtree", "in a k-d tree"],
  ["lsh", "by hashing (LSH)"],
];
const SHOWN = 15; // documents of a topic
const LITTLE = 0.01; // of a document: less is not listed
const LONGEST = 20_000; // characters of a text whose neighbours are found
const HARDLY = 0.002; // of all words: a topic with less is shown on request

export const wordsOf = (topic) => topic.words.split(" ");

function List() {
  const { index, where, params } = usePage();
  const options = { index, k: 10 };
  const found = useAnswer("topics", options);
  const chosen = params.has("topic") ? Number(params.get("topic")) : null;
  const [all, setAll] = useState(false);
  return html`<${Outcome} asked=${found}>
      ${(answer) => {
        const largest = Math.max(...answer.results.map((one) => one.share));
        const shown = answer.results.filter((each) => all || each.share >= HARDLY || each.topic === chosen);
        const rest = answer.results.length - shown.length;
        return html`<div class="spread"><h2>${answer.results.length} topics</h2><${Export} verb="topics"
          options=${options} title=${`${index}: topics`} results=${answer.results} /></div>
          ${
            where.length > 0 &&
            html`<p class="small">Shares of all documents; open a topic for those that pass the filter.</p>`
          }
          <ul class="topics">
            ${shown.map(
              (each) =>
                html`<li key=${each.topic}>
                  <button type="button" class="topic" aria-expanded=${String(each.topic === chosen)}
                    onClick=${() => change({ topic: each.topic === chosen ? null : String(each.topic), word: null })}>
                    <span class="bar" style=${{ width: `${(100 * each.share) / largest}%` }}></span>
                    <span class="share">${percent(each.share)}</span>
                    <span class="words">${wordsOf(each).slice(0, 8).join(", ")}</span>
                  </button>
                  ${each.topic === chosen && html`<${Topic} topic=${each} />`}
                </li>`,
            )}
          </ul>
          ${
            rest > 0 &&
            html`<button type="button" class="quiet" onClick=${() => setAll(true)}>
            Show ${plural(rest, "topic")} that hardly ${rest === 1 ? "occurs" : "occur"}
          </button>`
          }
          <${Notes} notes=${answer.notes.filter((note) => !note.startsWith("mean coherence"))} />`;
      }}
    </${Outcome}>
    <${Own} />
    <${Fit} heading="Find other topics" />`;
}

function Topic({ topic }) {
  const { index, where, params } = usePage();
  const word = params.get("word") ?? "";
  const documents = useAnswer("documents", { index, where, k: 2000 }).answer?.results ?? [];
  const metadata = useMemo(() => Object.fromEntries(documents.map((one) => [one.id, one.metadata])), [documents]);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []); // a link may name the last of many
  return html`<div class="topic-more card" ref=${box}>
    <h3>Its words</h3>
    <p class="chips">
      ${wordsOf(topic).map(
        (one) => html`<button type="button" class="tag" aria-pressed=${String(one === word)}
        onClick=${() => change({ word: one === word ? null : one })}>${one}</button>`,
      )}
    </p>
    ${word && html`<${Concordance} key=${word} word=${word} options=${{ index, where }} metadata=${metadata} />`}
    <${Shares} topic=${topic} />
  </div>`;
}

/** The documents with the most of a topic, or its share over a field. */
function Shares({ topic }) {
  const { index, where, about, params } = usePage();
  const fields = Object.keys(about.metadata).filter((name) => Object.keys(about.metadata[name]).length > 1);
  const by = fields.includes(params.get("by") ?? "") ? (params.get("by") ?? "") : "";
  const groups = useAnswer("trend", by ? { index, where, topic: [topic.topic], by } : null);
  return html`<div class="spread">
      <h3>${by ? `Share by ${fieldName(by)}` : "Documents with most of it"}</h3>
      <${Select} label="Show" hidden value=${by}
        choices=${[["", "documents"], ...fields.map((name) => [name, `by ${fieldName(name)}`])]}
        onChange=${(value) => change({ by: value })} />
    </div>
    ${
      by
        ? html`<${Outcome} asked=${groups}>
          ${(answer) => html`<${Bars} label=${`Share by ${fieldName(by)}`} rows=${order(answer).map((one) => ({
            share: one.share,
            name: html`<button type="button" class="link" title="Show only these documents"
              onClick=${() => change({ where: [...narrow(where, by), ...(one.where ?? [])] })}>
                ${one.label || "none"}</button>`,
          }))} />
          <p class="small"><a href=${href("trends", { topic: [String(topic.topic)], by })}>Open in Trends</a></p>`}
        </${Outcome}>`
        : html`<${TopicDocuments} topic=${topic.topic} where=${where} />`
    }`;
}

/** Values with the largest share first; years and numbers as they follow each other. */
const order = ({ kind, results }) => (kind === "values" ? [...results].sort((a, b) => b.share - a.share) : results);

/** The documents that have most of a topic. */
export function TopicDocuments({ topic, where }) {
  const { index } = usePage();
  const found = useAnswer("topic_shares", { index, where, topic: [topic], k: SHOWN });
  const rows = (found.answer?.results ?? []).filter((one) => one.share >= LITTLE);
  const shown = rows.length
    ? {
        index,
        where: [
          anyOf(
            "id",
            rows.map((one) => one.value),
          ),
        ],
      }
    : null;
  const known = useAnswer("documents", shown).answer?.results ?? [];
  const metadata = Object.fromEntries(known.map((one) => [one.id, one.metadata]));
  return html`<${Outcome} asked=${found}>
    ${() =>
      !rows.length
        ? html`<p class="hint">No document ${where.length > 0 && "that passes the filter "}has much of it.</p>`
        : html`<${Bars} rows=${rows.map((one) => ({
            share: one.share,
            name: html`<${DocumentLink} id=${one.value} metadata=${metadata[one.value]} />`,
          }))} />`}
  </${Outcome}>`;
}

/** Names with bars as long as their shares. @param {{ rows: { name: any, share: number }[], label?: string }} list */
function Bars({ rows, label }) {
  const most = Math.max(...rows.map((one) => one.share), 1e-9);
  return html`<ul class="shares" aria-label=${label}>
    ${rows.map(
      ({ name, share }) => html`<li>
        <span class="name">${name}</span>
        <span class="line"><span class="bar" style=${{ width: `${(100 * share) / most}%` }}></span></span>
        <span class="small">${percent(share)}</span>
      </li>`,
    )}
  </ul>`;
}

function Own() {
  const { index, params } = usePage();
  const asked = params.get("text") ?? "";
  const kept = usePaste(asked);
  const [typed, setTyped] = useState(/** @type {string | null} */ (null)); // what is not yet asked
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const text = typed ?? kept;
  useEffect(() => setTyped(null), [asked]);
  const options = asked ? { index, text: [asked], k: 6 } : null;
  const found = useAnswer("infer", options);
  const ask = async (event) => {
    event.preventDefault();
    if (!text.trim()) return setProblem({ message: "There is no text yet.", hint: "Paste one above." });
    try {
      change({ text: await keepPaste(text) });
      setProblem(null);
    } catch (error) {
      setProblem(error);
    }
  };
  return html`<details class="fold" open=${!!asked}>
    <summary>What is your own text about?</summary>
    <form onSubmit=${ask} class="stack">
      <label class="field"><span>Your text</span><textarea rows="3" value=${text}
        onInput=${(event) => setTyped(event.target.value)}></textarea></label>
      <div class="row"><button type="submit">Find its topics</button></div>
    </form>
    <${Trouble} problem=${problem} />
    ${
      options &&
      html`<${Outcome} asked=${found}>
        ${({ results }) =>
          results.length
            ? html`<${Bars} label="Topics of your text"
                rows=${results[0].topics
                  .filter((one) => one.weight >= LITTLE)
                  .map((one) => ({
                    name: html`<a href=${href("topics", { topic: String(one.topic), text: asked })}>${one.name}</a>`,
                    share: one.weight,
                  }))} />
              <${Export} verb="infer" options=${options} title=${`${index}: topics of your text`}
                results=${results[0].topics} />
              ${kept && html`<${Similar} text=${kept.slice(0, LONGEST)} />`}`
            : html`<p class="hint">No word of it is in any topic. Try a longer text.</p>`}
      </${Outcome}>`
    }
  </details>`;
}

/** Documents with a mixture like that of a text, by any of the measures and searches. */
function Similar({ text }) {
  const { index } = usePage();
  const [measure, setMeasure] = useState("js");
  const [search, setSearch] = useState("certified");
  const documents = useAnswer("documents", { index, k: 2000 }).answer?.results ?? [];
  const known = Object.fromEntries(documents.map((one) => [one.id, one.metadata]));
  const options = { index, text, measure, neighbours: search, k: 8 };
  const found = useAnswer("find_topic_neighbours", options);
  return html`<h3>Documents with the most similar mixture</h3>
    <div class="row">
      <${Select} label="Measured by" value=${measure} choices=${DISTANCES} onChange=${setMeasure} />
      <${Select} label="Searched" value=${search} choices=${SEARCHES} onChange=${setSearch} />
    </div>
    <${Outcome} asked=${found}>
      ${({ results, notes }) => html`<ul class="plain" aria-label="Documents with the most similar mixture">
          ${results.map(
            (one) => html`<li><${DocumentLink} id=${one.document} metadata=${known[one.document]} />
              <span class="small"> ${number(one.distance)}</span></li>`,
          )}
        </ul>
        <${Notes} notes=${notes} />`}
    </${Outcome}>
    <p class="small">0 is the same mixture.</p>`;
}

function Fit({ heading, open = false }) {
  const { index, about, refresh } = usePage();
  const [count, setCount] = useState(Math.max(5, Math.min(50, Math.round(Math.sqrt(about.documents) * 1.5))));
  const [names, setNames] = useState(true);
  const [job, setJob] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const fit = async (event) => {
    event.preventDefault();
    leaving.current = new AbortController();
    setJob({ state: "waiting" });
    setProblem(null);
    try {
      await work(
        "fit_topics",
        { index, topics: Number(count), no_names: names || null },
        setJob,
        leaving.current.signal,
      );
      await refresh();
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") setProblem(error);
    } finally {
      setJob(null);
    }
  };
  const form = html`<form class="row" onSubmit=${fit}>
      <label class="field"><span>How many topics</span><input type="number" min="2" max="500" value=${count}
        onInput=${(event) => setCount(event.target.value)} /></label>
      <${Check} label="Leave out names" title="Words that are mostly capitalised inside sentences" checked=${names}
        onChange=${setNames} />
      <button type="submit" class=${open ? "main" : ""} disabled=${!!job}>Find topics</button>
    </form>
    ${job && html`<${Progress} job=${job} cancel=${() => (leaving.current.abort(), setJob(null))} />`}
    <${Trouble} problem=${problem} />`;
  return open
    ? html`<section class="card"><h2>${heading}</h2>${form}</section>`
    : html`<details class="fold"><summary>${heading}</summary>${form}</details>`;
}
