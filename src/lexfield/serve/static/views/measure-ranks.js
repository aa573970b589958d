// @ts-check
// How often each word occurs, or how many sentences each cluster holds, by rank (Zipf's law); the map of words.
import { useMemo, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Figure, colour } from "../lib/chart.js";
import { Concordance } from "../lib/context.js";
import { Export } from "../lib/export.js";
import { Points } from "../lib/points.js";
import { change, href } from "../lib/route.js";
import { Check, Choice, Notes, Outcome, Select, Table, html, number, percent, plural, usePage } from "../lib/ui.js";

const MANY = 1_000_000; // words above which even counting is a job

const LEADS = {
  map: "The most frequent words; close together if they are used alike, coloured by part of speech.",
  clusters: "Sentences that mean the same form a cluster. Few clusters are large and many are small.",
  words: "A few words make up most of any text, and most words are rare. Here is how steep that is.",
};

export function Ranks() {
  const { index, where, about, params } = usePage();
  const latent = params.get("what") === "clusters";
  const isMap = params.get("what") === "map";
  const most = Math.max(20, Math.min(300, Math.floor(about.sentences / 5)));
  const k = Number(params.get("k")) || Math.min(75, most, Math.max(10, Math.round(about.sentences / 60)));
  const nulls = params.get("nulls") === "true";
  const ngram = Number(params.get("ngram") ?? 1);
  const options = latent
    ? { index, where, latent: true, clusters: k, seeds: 1, nulls: String(nulls) }
    : { index, where, ngram: ngram > 1 ? ngram : null };
  const found = useAnswer("zipf", isMap ? null : options, { job: latent || about.tokens > MANY });
  const isSame = (found.answer?.results[0].space === "latent") === latent; // not the chart of the other kind
  const [shown, setShown] = useState(k);
  return html`<p class="lead">
      ${LEADS[isMap ? "map" : latent ? "clusters" : "words"]}
    </p>
    <div class="row controls">
      <${Choice}
        label="What"
        hidden
        name="what"
        value=${params.get("what") ?? "words"}
        choices=${[
          ["words", "Words"],
          ["clusters", "Clusters of sentences"],
          ["map", "Map of words"],
        ]}
        onChange=${(value) => change({ what: value === "words" ? null : value, k: null, nulls: null })}
      />
      ${
        latent &&
        html`<label class="field grow"
          ><span>Number of clusters: <b>${shown}</b></span>
          <input
            type="range" aria-label="Number of clusters"
            min="10"
            max=${most}
            value=${k}
            onInput=${(event) => setShown(Number(event.target.value))}
            onChange=${(event) => change({ k: event.target.value }, { typed: "k" })}
          />
        </label>
        <${Check} label="Compare with shuffled texts" checked=${nulls}
          onChange=${(on) => change({ nulls: on ? "true" : null })} />`
      }
      ${
        !latent &&
        !isMap &&
        html`<${Select} label="Count" value=${ngram} choices=${[
          [1, "single words"],
          [2, "pairs of words"],
          [3, "three in a row"],
        ]} onChange=${(value) => change({ ngram: value === "1" ? null : value })} />`
      }
    </div>
    ${
      isMap
        ? html`<${WordMap} />`
        : html`<${Outcome} asked=${{ ...found, answer: isSame ? found.answer : null }} wait="Counting…">${(
            answer,
          ) => html`<${Drawn} answer=${answer}
          options=${options} />`}</${Outcome}>`
    }`;
}

function Drawn({ answer, options }) {
  const { index, where } = usePage();
  const told = answer.results[0];
  const clusters = told.space === "latent";
  const [word, setWord] = useState("");
  const [cluster, setCluster] = useState(0);
  const curves = told.curves.slice(-1); // Mandelbrot's; a straight line would be bent by the many rare words
  const lines = useMemo(
    () => curves.flatMap((curve) => curve.rank.map((rank, i) => ({ rank, count: curve.count[i], name: curve.name }))),
    [told],
  );
  const names = curves.map((curve) => curve.name);
  const unit = clusters ? "cluster" : "word";
  const least = Math.max(0.7, told.points[told.points.length - 1].count * 0.8);
  const draw = (Plot, width) => ({
    height: Math.round(Math.min(440, Math.max(280, width * 0.5))),
    marginLeft: 60,
    x: { type: "log", label: `rank of the ${unit} →`, labelOffset: 38, grid: true, tickFormat: "~s" },
    y: {
      type: "log",
      label: clusters ? "↑ sentences in it" : "↑ times it occurs",
      grid: true,
      tickFormat: "~s",
      domain: [least, told.points[0].count * 1.6],
      clamp: true,
    },
    color: { domain: names, range: [colour("c1"), colour("c2"), colour("c3")] },
    marks: [
      Plot.line(
        lines.filter((one) => one.count >= least),
        { x: "rank", y: "count", stroke: "name", strokeWidth: 1.5, clip: true },
      ),
      Plot.dot(told.points, {
        x: "rank",
        y: "count",
        fill: colour("c0"),
        fillOpacity: 0.75,
        r: told.points.length > 400 ? 2.2 : 3.2,
      }),
      Plot.tip(
        told.points,
        Plot.pointer({
          x: "rank",
          y: "count",
          title: (one) => `${one.rank}. ${one.label}\n${number(one.count)} ${clusters ? "sentences" : "times"}`,
        }),
      ),
    ],
  });
  const open = (one) => (clusters ? setCluster(one.rank) : setWord(one.label));
  return html`<p class="verdict">${inWords(told, clusters)}</p>
    <${Figure}
      tools=${html`<${Export} verb="zipf" options=${options} title=${`${index}: frequencies`} results=${told.ranks}
        pin=${false} />`}
      title=${
        clusters
          ? `${plural(told.figures.sentences, "sentence")} in ${told.clusters.length} clusters`
          : `${plural(told.figures.tokens, "word")}, ${number(told.figures.types)} different`
      }
      label=${`Counts by rank, which fall with an exponent of ${number(exponentOf(told))}`}
      name="ranks"
      draw=${draw}
      deps=${[told]}
      data=${told.points}
      x=${(one) => one.rank}
      y=${(one) => one.count}
      onPoint=${open}
      legend=${[
        [`${unit}s`, colour("c0")],
        ...names.map((name, i) => [`the curve that fits best (${name})`, colour(`c${i + 1}`)]),
      ]}
    />
    ${word && html`<${Concordance} key=${word} level="h2" word=${word} options=${{ index, where }} />`}
    ${clusters && html`<${Clusters} told=${told} open=${cluster} />`}
    <details class="quiet-fold">
      <summary>Numbers</summary>
      <p>${told.verdict}</p>
      <${Table}
        caption="Laws fitted to these counts"
        columns=${[
          ["fit", (fit) => fit.name.replaceAll("_", " ")],
          [
            "parameters",
            (fit) =>
              Object.entries(fit.parameters)
                .map(([name, value]) => `${name} ${number(value, 4)}`)
                .join(", "),
          ],
          ["R²", (fit) => fit.r2, true],
          ["distance", (fit) => fit.distance, true],
          ["p", (fit) => fit.p, true],
        ]}
        rows=${Object.values(told.fits)}
      />
      ${
        told.nulls.length > 0 &&
        html`<${Table}
        caption="Beside texts without meaning"
        columns=${[
          ["model", (one) => one.model],
          ["slope", (one) => one.slope, true],
          ["R²", (one) => one.r2, true],
          ["text minus model", (one) => one.difference, true],
        ]}
        rows=${told.nulls}
      />`
      }
      ${
        !clusters &&
        html`<${Table} caption="The most frequent" columns=${[
          ["rank", (one) => one.rank, true],
          [
            told.unit,
            (one) =>
              html`<button type="button" class="link" onClick=${() => setWord(one.label)}>${one.label}</button>`,
          ],
          ["times", (one) => one.count, true],
        ]} rows=${told.ranks} />`
      }
      <${Notes} notes=${answer.notes} />
    </details>`;
}

/** The exponent of Zipf's law, or of Mandelbrot's fit to clusters. */
function exponentOf(told) {
  const alpha = told.exponent?.value ?? told.fits.mandelbrot?.parameters.alpha;
  return alpha && alpha < 3 ? alpha : -told.slope;
}

/** What the counts say, for everybody. */
function inWords(told, clusters) {
  const alpha = exponentOf(told);
  const all = clusters ? told.figures.sentences : told.figures.tokens;
  const ten = told.ranks.slice(0, 10).reduce((sum, one) => sum + one.count, 0);
  const law =
    Math.abs(alpha - 1) < 0.15
      ? "The counts fall as Zipf’s law says: at twice the rank, about half as often."
      : alpha > 1
        ? "The counts fall faster than Zipf’s law says."
        : "The counts fall more slowly than Zipf’s law says.";
  const what = clusters ? "clusters hold" : told.unit === "word" ? "words make up" : `${told.unit}s make up`;
  return `${law} The ten most frequent ${what} ${percent(ten / all)} of the ${clusters ? "sentences" : "text"}.`;
}

function Clusters({ told, open }) {
  return html`<section aria-label="Clusters">
    <h2>${told.clusters.length} clusters</h2>
    ${told.clusters.map(
      (one) =>
        html`<details id=${`cluster-${one.rank}`} open=${one.rank === open}>
          <summary>${one.rank}. ${plural(one.size, "sentence")}: ${one.words.slice(0, 6).join(", ")}</summary>
          <p class="small">Typical sentences</p>
          <ul class="serif">
            ${one.nearest.map((text) => html`<li><a href=${href("search", { q: text })}>${text}</a></li>`)}
          </ul>
          <p class="small">At its edge</p>
          <ul class="serif">
            ${one.farthest.map((text) => html`<li><a href=${href("search", { q: text })}>${text}</a></li>`)}
          </ul>
        </details>`,
    )}
  </section>`;
}

function WordMap() {
  const { index, where, params } = usePage();
  const method = params.get("by") ?? "pca";
  const words = Number(params.get("words") ?? 2000);
  const options = { index, where, projection: method, words };
  const found = useAnswer("layout", options, { job: true });
  const shares = useAnswer("speech", { index, where, nearest: [3, 10] }, { job: true }).answer?.results[0];
  const [word, setWord] = useState("");
  const points = useMemo(
    () =>
      (found.answer?.results ?? []).map((one) => ({
        x: one.x,
        y: one.y,
        id: one.word,
        name: one.word,
        value: one.speech,
        detail: `${one.speech}, ${plural(one.count, "time")}`,
      })),
    [found.answer],
  );
  return html`<div class="row controls">
      <${Select} label="Placed by" value=${method} choices=${[
        ["pca", "main differences (quick)"],
        ["tsne", "neighbours (slower)"],
      ]} onChange=${(value) => change({ by: value })} />
      <${Select} label="Words" value=${words} choices=${[
        [2000, "2,000"],
        [5000, "5,000"],
        [20000, "20,000"],
      ]} onChange=${(value) => change({ words: value })} />
    </div>
    <${Outcome} asked=${found} wait="Placing the words…">
      ${(
        answer,
      ) => html`<${Points} points=${points} label=${`Map of ${number(points.length)} words by part of speech`}
        title="Words by part of speech" name="words" onPoint=${(one) => setWord(one.id)} />
        ${word && html`<${Concordance} key=${word} word=${word} options=${{ index, where }} />`}
        ${
          shares &&
          html`<${Table} caption="Parts of speech" columns=${[
            ["part of speech", (one) => one.speech],
            ["of all words", (one) => percent(one.token_share), true],
            ["of different words", (one) => percent(one.type_share), true],
          ]} rows=${shares.shares} />`
        }
        <${Export} verb="layout" options=${options} title="Map of words" results=${answer.results} pin=${false} />`}
    </${Outcome}>`;
}
