// @ts-check
// How often words or topics occur over time, over any field, or along one text.
import { useMemo } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Figure, palette } from "../lib/chart.js";
import { Concordance } from "../lib/context.js";
import { Export } from "../lib/export.js";
import { narrow } from "../lib/filter.js";
import { useQuestions } from "../lib/questions.js";
import { change, href } from "../lib/route.js";
import { DocumentLink, titleOf } from "../lib/text.js";
import { Notes, Outcome, Select, Table, Trouble, Typed, fieldName, html, number, plain, usePage } from "../lib/ui.js";
import { sentenceOf } from "./overview.js";
import { TopicDocuments, wordsOf } from "./topics.js";

const ALONG = "(one text)";
const PER = 10_000;
const NOBODY = "No document passes the filter. Clear it on the left, or choose less.";

export function Trends() {
  const { index, where, params, about } = usePage();
  const facets = useAnswer("facets", { index });
  const known = useAnswer("topics", about.topics ? { index, k: 4 } : null).answer?.results ?? [];
  const listed = useAnswer("documents", { index, where, k: 2000 });
  const documents = listed.answer?.results ?? [];
  const useful = (facets.answer?.results ?? []).filter(
    (one) => one.distinct > 1 && one.distinct < 0.8 * documents.length,
  );
  const ordered = (facets.answer?.results ?? []).filter((one) => one.kind !== "values" && one.low !== one.high);
  const isTime = (one) => one.kind === "date" || /year|date/i.test(one.field);
  const times = ordered.filter(isTime);
  const fields = [...new Set([...times, ...ordered, ...useful].map((one) => one.field))];
  const words = params.getAll("q");
  const topics = params.getAll("topic");
  const document = params.get("document") ?? "";
  const by = params.get("by") ?? (!document && times.length ? fields[0] : ALONG);
  const along = by === ALONG || (!fields.includes(by) && !!facets.answer);
  const text = document || documents[0]?.id || "";
  const bins = params.get("bins") ?? "";
  const isAsked = words.length + topics.length > 0;
  const asks = isAsked && (along ? text : facets.answer);
  const choices = facets.answer || along ? fields : [by]; // the fields are on their way
  const place = along ? { document: text } : { by, where };
  const options = asks ? { index, query: words, topic: topics, bins: bins || null, ...place } : null;
  const found = useAnswer("trend", options);
  const put = (value) => change({ q: splitWords(value), at: null }, { typed: "q" });
  return html`<h1>Trends</h1>
    <form class="row controls" onSubmit=${(event) => event.preventDefault()}>
      <label class="field grow"><span>Words or phrases, separated by commas</span>
        <${Typed} name="q" placeholder="love, war + battle, steam engine" value=${words.join(", ")} onInput=${put} />
      </label>
      ${
        known.length > 0 &&
        html`<${Select} label="Topic" value=${topics[0] ?? ""}
        choices=${[["", "none"], ...known.map((one) => [String(one.topic), wordsOf(one).slice(0, 3).join(", ")])]}
        onChange=${(value) => change({ topic: value, at: null })} />`
      }
      <${Select} label="Over" value=${along ? ALONG : by}
        choices=${[...choices.map((name) => [name, fieldName(name)]), [ALONG, "the course of one text"]]}
        onChange=${(value) => change({ by: value, document: value === ALONG ? text : null, at: null })} />
      ${
        along &&
        html`<${Select} label="Text" value=${text}
        choices=${documents.map((one) => [one.id, titleOf(one.id, one.metadata)])}
        onChange=${(value) => change({ document: value, by: null, at: null })} />`
      }
      <${Select} label="Steps" value=${bins} choices=${[["", "automatic"], "5", "10", "20", "40"]}
        onChange=${(value) => change({ bins: value, at: null })} />
    </form>
    ${!isAsked && html`<${Suggest} />`}
    <${Trouble} problem=${facets.problem ?? listed.problem} retry=${facets.problem ? facets.retry : listed.retry} />
    ${isAsked && !asks && html`<p class="hint">${along && listed.answer ? NOBODY : "Counting…"}</p>`}
    ${
      asks &&
      html`<${Outcome} asked=${found} wait="Counting…">
      ${(answer) => html`<${Chart} key=${`${along} ${by}`} answer=${answer} options=${options} along=${along} by=${by}
        text=${text} documents=${documents} />`}
    </${Outcome}>`
    }
    ${
      facets.answer &&
      !ordered.length &&
      html`<p class="hint">
      These documents have no date and no number. Add a column such as year to see change over time.
    </p>`
    }`;
}

/** @param {string} text */
const splitWords = (text) =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

function Suggest() {
  const { index } = usePage();
  const overview = useAnswer("overview", { index }).answer;
  const asked = useQuestions("trends");
  const words = (overview?.distinctive ?? []).flatMap((one) => one.words.slice(0, 1).map(({ word }) => word));
  const link = (word) => html`<a class="tag" href=${href("trends", { q: [word] })}>${word}</a>`;
  return html`<p class="lead">See where a word rises and falls: over the years, or through a novel.</p>
    <ul class="examples" aria-label="Examples">
      ${asked.map((one) => html`<li><a href=${href("trends", one.values)}>${one.text}</a></li>`)}
    </ul>
    <p class="chips">${[...new Set(words)].slice(0, 8).map(link)}</p>`;
}

function Chart({ answer, options, along, by, text, documents }) {
  const { index, where, params } = usePage();
  const kind = answer.kind;
  const rows = useMemo(() => answer.results.map((one) => ({ ...one, ...place(one, kind) })), [answer]);
  if (!rows.length) return html`<p class="hint">${NOBODY}</p>`;
  const series = [...new Set(rows.map((one) => one.series))];
  const metadata = useMemo(() => Object.fromEntries(documents.map((one) => [one.id, one.metadata])), [documents]);
  const title = titleOf(text, metadata[text]);
  const over = along ? `in ${title}` : `by ${fieldName(by)}`;
  const axis = along ? `place in ${title}` : fieldName(by);
  const nameOf = (one) => `${one.series}, ${one.label}`;
  const at = rows.find((one) => nameOf(one) === params.get("at"));
  const open = (one) => change({ at: one === at ? null : nameOf(one) });
  const nowhere = series.filter((name) => rows.every((one) => one.series !== name || !one.count));
  const names = nowhere.map((name) => `“${name}”`).join(" and ");
  const told = `${names} ${nowhere.length > 1 ? "occur" : "occurs"} nowhere ${along ? "in this text" : "here"}.`;
  if (nowhere.length === series.length) return html`<p class="hint">${told} Try another form of the word.</p>`;
  return html`${nowhere.length > 0 && html`<p class="hint">${told}</p>`}
    <${Figure} title=${`${series.join(", ")} ${over}`} label=${`How often ${series.join(", ")} occur ${over}`}
      name="trend" draw=${(Plot, width) => drawTrend(Plot, width, { rows, series, kind, name: axis })}
      deps=${[rows]} data=${rows} x=${(one) => one.x} y=${(one) => one.y} onPoint=${open}
      tools=${html`<${Export} verb="trend" options=${options} title=${`${series.join(", ")} ${over}`}
        results=${answer.results} pin=${false} />`}
      legend=${series.map((name, i) => [name, palette()[i % 8]])}>
    </${Figure}>
    <p class="small">Shaded: where the true rate lies in 95 of 100 cases. Click a point to see the passages.</p>
    ${at && html`<${Behind} key=${nameOf(at)} ...${{ at, rows, along, text, by, metadata }} />`}
    <details class="quiet-fold">
      <summary>As a table</summary>
      <${Table} caption="Every point" rows=${rows} columns=${[
        ["word", (one) => one.series],
        [along ? "part" : fieldName(by), (one) => one.label],
        ["per 10,000", (one) => one.y, true],
        ["times", (one) => Math.round(one.count), true],
        ["words", (one) => one.total, true],
        [
          "passages",
          (one) => html`<button type="button" class="link" onClick=${() => open(one)}>Show<span
          class="unseen"> ${one.series}, ${one.label}</span></button>`,
        ],
      ]} />
    </details>
    <${Notes} notes=${answer.notes} />`;
}

const TOPIC = /^topic (\d+):/;

/** What a point counts: the places of a word, or the documents of a topic. */
function Behind({ at, rows, along, text, by, metadata }) {
  const { index, where: filter } = usePage();
  const where = at.where ? [...narrow(filter, by), ...at.where] : filter;
  const topic = TOPIC.exec(at.series)?.[1];
  if (topic === undefined)
    return html`<${Concordance} forms level="h2" word=${at.series} metadata=${metadata}
      within=${along ? partOf(at, rows) : null}
      options=${along ? { index, document: [text] } : { index, where }} />`;
  if (along)
    return html`<p class="hint"><${DocumentLink} id=${text} metadata=${metadata[text]}
    sentence=${sentenceOf(at.id)} />: read from here.</p>`;
  return html`<section class="kwic" aria-label="Documents of the topic">
    <h2>${fieldName(by)} ${at.label}: documents with most of it</h2>
    <${TopicDocuments} topic=${topic} where=${where} />
  </section>`;
}

/** The bounds of the documents that a point stands for. @param {import("../lib/types").TrendPoint} one */
function spanOf(one) {
  const found = /=(.+)\.\.(.+)$/.exec(one.where?.[0] ?? "");
  return found ? [Number(found[1]), Number(found[2])] : null;
}

/** The first sentence of a part of a text, and the first of the next part. */
function partOf(at, rows) {
  const same = rows.filter((one) => one.series === at.series);
  const next = same[same.indexOf(at) + 1];
  return [sentenceOf(at.id) ?? 0, next ? (sentenceOf(next.id) ?? Infinity) : Infinity];
}

/** Where a point stands; one that is a span of years stands in its middle. */
function place(one, kind) {
  const span = kind === "number" ? spanOf(one) : null;
  const at = span ? (span[0] + span[1]) / 2 : Number(one.value);
  return {
    x: kind === "date" ? new Date(String(one.value)) : kind === "values" ? one.label : at,
    y: one.share * PER,
    y1: one.low * PER,
    y2: one.high * PER,
  };
}

/** Points with a hole wherever there are no documents for a while: nothing is known there. */
function breakLines(rows) {
  return rows.flatMap((one, i) => {
    const [last, now] = [i && rows[i - 1].series === one.series ? spanOf(rows[i - 1]) : null, spanOf(one)];
    const isHole = last && now && now[0] - last[1] > 1;
    return isHole ? [{ ...one, x: (last[1] + now[0]) / 2, y: NaN, y1: NaN, y2: NaN }, one] : [one];
  });
}

function drawTrend(Plot, width, { rows, series, kind, name }) {
  const isOrdinal = kind === "values";
  const lines = breakLines(rows);
  const span = spanOf(rows[0] ?? {});
  const tip = (one) =>
    `${one.series}, ${one.label}\n${number(one.y)} per 10,000 words (${number(one.y1)} to ${number(one.y2)})\n` +
    `${number(Math.round(one.count))} of ${number(one.total)} words\nClick to read them`;
  const x = {
    label: `${name}${span && span[1] > span[0] ? `, in steps of ${number(span[1] - span[0] + 1)}` : ""} →`,
    labelOffset: 38,
  };
  const axes = {
    part: { ...x, tickFormat: (value) => `${Math.round(100 * value)}%`, domain: [0, 1] },
    number: { ...x, tickFormat: (value) => (span && !Number.isInteger(value) ? "" : plain(value)) }, // no year 1850.5
    date: { ...x, type: "utc", labelOffset: 50 }, // under the years
    values: { ...x, label: null, tickRotate: width < 30 * new Set(rows.map((one) => one.x)).size ? -65 : -35 },
  };
  const range = { x: "x", y1: "y1", y2: "y2", z: "series" };
  const tint = { value: "series", scale: "color" }; // a word such as silver is no colour
  return {
    height: Math.round(Math.min(420, Math.max(260, width * 0.45))),
    marginLeft: 48,
    marginTop: 28,
    marginBottom: isOrdinal ? 90 : kind === "date" ? 54 : 42,
    x: axes[kind] ?? x,
    y: { label: "↑ per 10,000 words", grid: true, zero: true, nice: true },
    color: { type: "categorical", domain: series, range: palette() },
    marks: [
      ...(isOrdinal
        ? [Plot.ruleX(rows, { ...range, stroke: tint, strokeWidth: 6, strokeOpacity: 0.25 })]
        : [
            Plot.areaY(lines, { ...range, fill: tint, fillOpacity: 0.12 }),
            Plot.ruleX(rows, { ...range, stroke: tint, strokeOpacity: 0.3 }),
            Plot.lineY(lines, { x: "x", y: "y", z: "series", stroke: tint, strokeWidth: 2 }),
          ]),
      Plot.dot(rows, { x: "x", y: "y", fill: tint, r: isOrdinal ? 5 : 3.5 }),
      Plot.tip(rows, Plot.pointer({ x: "x", y: "y", title: tip })),
    ],
  };
}
