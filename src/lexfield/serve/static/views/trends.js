// @ts-check
// How often words or topics occur over time, over any number, or along one text.
import { useMemo, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Figure, palette } from "../lib/chart.js";
import { Concordance } from "../lib/context.js";
import { Export } from "../lib/export.js";
import { change, href } from "../lib/route.js";
import { read, titleOf } from "../lib/text.js";
import { Notes, Outcome, Select, Table, Typed, html, number, usePage } from "../lib/ui.js";

const ALONG = "(one text)";
const PER = 10_000;

export function Trends() {
  const { index, where, params, about } = usePage();
  const facets = useAnswer("facets", { index });
  const documents = useAnswer("documents", { index, where, k: 2000 }).answer?.results ?? [];
  const fields = (facets.answer?.results ?? [])
    .filter((one) => one.kind !== "values" && one.low !== one.high)
    .map((one) => one.field);
  const words = params.getAll("q");
  const topic = params.get("topic") ?? "";
  const document = params.get("document") ?? "";
  const by = params.get("by") ?? (document ? ALONG : (fields[0] ?? ALONG));
  const along = by === ALONG || (!fields.includes(by) && !!facets.answer);
  const text = document || documents[0]?.id || "";
  const bins = params.get("bins") ?? "";
  const asks = (words.length > 0 || topic) && (along ? text : facets.answer);
  const options = asks
    ? {
        index,
        query: words,
        topic: topic || null,
        bins: bins || null,
        ...(along ? { document: text } : { by, where }),
      }
    : null;
  const found = useAnswer("trend", options);
  const put = (value) =>
    change(
      {
        q: value
          .split(",")
          .map((one) => one.trim())
          .filter(Boolean),
      },
      { typed: "q" },
    );
  return html`<div class="spread">
      <h1>Trends</h1>
      ${
        found.answer &&
        options &&
        html`<${Export} verb="trend" options=${options}
        title=${`Trend of ${words.join(", ") || `topic ${topic}`}`} results=${found.answer.results} pin=${false} />`
      }
    </div>
    <form class="row controls" onSubmit=${(event) => event.preventDefault()}>
      <label class="field grow"
        ><span>Words or phrases, with commas between them</span>
        <${Typed} name="q" placeholder="love, war, steam engine" value=${words.join(", ")} onInput=${put} />
      </label>
      <${Select}
        label="Over"
        value=${along ? ALONG : by}
        choices=${[...fields, [ALONG, "the course of one text"]]}
        onChange=${(value) => change({ by: value, document: value === ALONG ? text : null })}
      />
      ${
        along &&
        html`<${Select} label="Text" value=${text}
        choices=${documents.map((one) => [one.id, titleOf(one.id, one.metadata)])}
          onChange=${(value) => change({ document: value, by: null })} />`
      }
      <${Select} label="Steps" value=${bins} choices=${[["", "automatic"], "5", "10", "20", "40"]}
        onChange=${(value) => change({ bins: value })} />
    </form>
    ${!asks && html`<${Suggest} />`}
    ${
      asks &&
      html`<${Outcome} asked=${found} wait="Counting…">
      ${(answer) => html`<${Chart} answer=${answer} along=${along} by=${by} text=${text} words=${words}
        documents=${documents} />`}
    </${Outcome}>`
    }
    ${
      !fields.length &&
      facets.answer &&
      html`<p
      class="hint">This collection has no dates or numbers in its metadata, so a word can be followed along one text. ${about.documents > 1 && "Add a column such as year to see change over time."}</p>`
    }`;
}

function Suggest() {
  const { index } = usePage();
  const overview = useAnswer("overview", { index }).answer;
  const asked = overview?.questions.filter((one) => one.view === "trends") ?? [];
  const words = [
    ...new Set((overview?.distinctive ?? []).flatMap((one) => one.words.slice(0, 1).map(({ word }) => word))),
  ].slice(0, 8);
  return html`<p class="lead">See where a word rises and falls: over the years, or through a novel.</p>
    ${asked.map((one) => html`<p><a href=${href("trends", /** @type {any} */ (one.parameters))}>${one.text}</a></p>`)}
    ${
      words.length > 0 &&
      html`<p class="chips">${words.map(
        (word) => html`<a class="tag"
      href=${href("trends", { q: [word] })}>${word}</a>`,
      )}</p>`
    }`;
}

function Chart({ answer, along, by, text, words, documents }) {
  const { index, where } = usePage();
  const [at, setAt] = useState(/** @type {any} */ (null));
  const isDate = !along && answer.results.some((one) => /^\d{4}-\d\d/.test(String(one.value)));
  const rows = useMemo(
    () =>
      answer.results.map((one) => ({
        ...one,
        x: isDate ? new Date(String(one.value)) : Number(one.value),
        y: one.share * PER,
        y1: one.low * PER,
        y2: one.high * PER,
      })),
    [answer],
  );
  const series = [...new Set(rows.map((one) => one.series))];
  const metadata = useMemo(() => Object.fromEntries(documents.map((one) => [one.id, one.metadata])), [documents]);
  const title = titleOf(text, metadata[text]);
  const draw = (Plot, width) => ({
    height: Math.round(Math.min(420, Math.max(260, width * 0.45))),
    marginLeft: 48,
    marginTop: 28,
    x: along
      ? {
          label: `place in ${title} →`,
          labelOffset: 38,
          tickFormat: (value) => `${Math.round(100 * value)}%`,
          domain: [0, 1],
        }
      : { label: `${by} →`, labelOffset: 38, ...(isDate ? { type: "utc" } : { tickFormat: "d" }) },
    y: { label: "↑ per 10,000 words", grid: true, zero: true, nice: true },
    color: { domain: series, range: palette(), legend: false },
    marks: [
      Plot.areaY(rows, { x: "x", y1: "y1", y2: "y2", fill: "series", fillOpacity: 0.12, curve: "monotone-x" }),
      Plot.lineY(rows, { x: "x", y: "y", stroke: "series", strokeWidth: 2, curve: "monotone-x" }),
      Plot.dot(rows, { x: "x", y: "y", fill: "series", r: 3.5 }),
      Plot.tip(
        rows,
        Plot.pointer({
          x: "x",
          y: "y",
          title: (one) =>
            `${one.series}, ${one.label}\n${number(one.y)} per 10,000 words (${number(one.y1)} to ${number(one.y2)})\n${number(one.count)} of ${number(one.total)} words\nClick to read them`,
        }),
      ),
    ],
  });
  const open = (one) => {
    setAt(one);
    if (along) read(text, sentenceNear(one, answer));
  };
  return html`<${Figure}
      title=${`${series.join(", ")} ${along ? `in ${title}` : `by ${by}`}`}
      label=${`How often ${series.join(", ")} occur ${along ? `along ${title}` : `by ${by}`}`}
      name="trend"
      draw=${draw}
      deps=${[rows]}
      data=${rows}
      x=${(one) => one.x}
      y=${(one) => one.y}
      onPoint=${open}
    >
      <div class="legend still">${series.map(
        (name, i) => html`<span><i style=${{ background: `var(--c${i % 8})` }}>
        </i>${name}</span>`,
      )}</div>
    </${Figure}>
    <p class="small">Shaded: where the true rate lies in 95 of 100 cases. Click a point to see the passages.</p>
    ${
      at &&
      !along &&
      words.includes(at.series) &&
      html`<${Concordance} key=${`${at.series} ${at.label}`}
      word=${at.series}
        options=${{ index, where: [...where.filter((one) => !one.startsWith(`${by}=`)), `${by}=${at.label.includes("–") ? at.label.replace("–", "..") : at.label}`] }} metadata=${metadata} />`
    }
    ${
      at &&
      along &&
      html`<${Concordance} key=${at.series} word=${at.series} options=${{ index, document: [text] }}
      metadata=${metadata} />`
    }
    <details class="quiet-fold">
      <summary>As a table</summary>
      <${Table}
        caption="Every point"
        columns=${[
          ["word", (one) => one.series],
          [along ? "part" : by, (one) => one.label],
          ["per 10,000", (one) => one.y, true],
          ["times", (one) => one.count, true],
          ["words", (one) => one.total, true],
          [
            "",
            (one) =>
              html`<button type="button" class="link" onClick=${() => open(one)}>Show<span
                class="unseen"> ${one.series}, ${one.label}</span></button>`,
          ],
        ]}
        rows=${rows}
      />
    </details>
    <${Notes} notes=${answer.notes} />`;
}

/** The sentence with which a part of a text begins. */
const sentenceNear = (one, answer) => one.sentence ?? Math.floor(one.x * Math.max(0, (answer.sentences ?? 1) - 1));
