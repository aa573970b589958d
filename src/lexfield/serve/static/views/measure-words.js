// @ts-check
// Words near a word, how sure that is, and from which similarity on words are related.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { useAnswer, work } from "../lib/api.js";
import { Figure, colour } from "../lib/chart.js";
import { Export } from "../lib/export.js";
import { change, go, href } from "../lib/route.js";
import {
  Notes,
  Outcome,
  Progress,
  Select,
  Table,
  Trouble,
  Typed,
  html,
  number,
  percent,
  usePage,
} from "../lib/ui.js";

export function Words() {
  const { server, params } = usePage();
  const word = params.get("word") ?? "";
  const models = params.get("models");
  const vectors = models ? null : params.get("vectors");
  const k = params.get("k") ?? "15";
  const options = word.trim() ? { word: [word.trim()], k, models, vectors } : null;
  const found = useAnswer("near", options);
  const sources = [
    ...server.vectors.map((name) => [`vectors:${name}`, name === "default" ? "the built-in word vectors" : name]),
    ...server.models.map((one) => [`models:${one.id}`, `${one.models} models of ${one.id}`]),
  ];
  const from = (value) => {
    const [kind, name] = value.split(/:(.*)/s);
    change({
      models: kind === "models" ? name : null,
      vectors: kind === "vectors" && name !== "default" ? name : null,
    });
  };
  return html`<p class="lead">The words that are used most like a word.</p>
    <form class="row controls" onSubmit=${(event) => event.preventDefault()}>
      <label class="field grow"><span>Word</span><${Typed} name="word" placeholder="lighthouse" value=${word}
        onInput=${(text) => change({ word: text }, { typed: "word" })} /></label>
      <${Select} label="How many" value=${k} choices=${["10", "15", "30", "60"]}
        onChange=${(value) => change({ k: value })} />
      <${Select} label="According to" value=${models ? `models:${models}` : `vectors:${vectors ?? "default"}`}
        choices=${sources} onChange=${from} />
    </form>
    ${
      options &&
      html`<${Outcome} asked=${found}>${(answer) => html`<${Near} answer=${answer} options=${options}
      word=${word.trim()} />`}</${Outcome}>`
    }
    <${Threshold} options=${{ models, vectors }}
      word=${found.answer?.results.length ? word.trim() : ""} />
    ${models ? html`<${Uncertainty} models=${models} />` : html`<${Train} word=${word} />`}`;
}

function Near({ answer, options, word }) {
  const rows = answer.results;
  if (!rows.length)
    return html`<p class="hint">“${word}” is not a known word. Check its spelling, or try another form.</p>`;
  const spread = rows[0].deviation !== undefined;
  const open = (one) => change({ word: one.word });
  const least = Math.min(0, ...rows.map((one) => one.similarity - (one.deviation ?? 0))); // lines have a true length
  const draw = (Plot) => ({
    height: 26 * rows.length + 50,
    marginLeft: 20 + 7.5 * Math.max(...rows.map((one) => one.word.length)),
    marginRight: 50,
    x: {
      label: "similarity →",
      labelOffset: 38,
      domain: [least, 1],
      grid: true,
    },
    y: { domain: rows.map((one) => one.word), label: null, tickSize: 0 },
    marks: [
      Plot.ruleY(rows, {
        y: "word",
        x1: 0,
        x2: "similarity",
        stroke: colour("accent-soft"),
        strokeWidth: 6,
      }),
      spread
        ? Plot.ruleY(rows, {
            y: "word",
            x1: (one) => one.similarity - one.deviation,
            x2: (one) => one.similarity + one.deviation,
            strokeWidth: 2,
          })
        : null,
      Plot.dot(rows, { y: "word", x: "similarity", fill: colour("c0"), r: 5 }),
      Plot.tip(
        rows,
        Plot.pointerY({
          y: "word",
          x: "similarity",
          title: (one) =>
            `${one.word}: ${number(one.similarity)}${spread ? ` ± ${number(one.deviation, 2)}` : ""}\nClick to go on`,
        }),
      ),
    ],
  });
  return html`<div class="spread"><h2>Near “${word}”</h2><${Export} verb="near" options=${options}
    title=${`Near ${word}`} results=${rows} pin=${false} /></div>
    <${Figure}
      title=${spread ? "Similarity, with one standard deviation over the models" : "Similarity; 1 is the same"}
      label=${`Similarities: ${rows
        .slice(0, 5)
        .map((one) => `${one.word} ${number(one.similarity, 2)}`)
        .join(", ")}`}
      name="neighbours"
      draw=${draw}
      deps=${[answer]}
      data=${rows}
      y=${(one) => one.word}
      onPoint=${open}
    />
    <details class="quiet-fold">
      <summary>As a table</summary>
      <${Table}
        caption="Nearest words"
        columns=${[
          ["word", (one) => html`<a href=${href("measure", { tool: "words", word: one.word })}>${one.word}</a>`],
          ["similarity", (one) => one.similarity, true],
          ...(spread
            ? [
                ["deviation", (one) => one.deviation, true],
                ["near in", (one) => `${percent(one.share)} of models`],
              ]
            : []),
        ]}
        rows=${rows}
      />
    </details>
    <${Notes} notes=${answer.notes} />`;
}

const FEWEST = 0.01; // neighbours that are still drawn

/** The neighbours that words have on average, and those of one word if it is known. */
function Threshold({ options, word }) {
  const [wanted, setWanted] = useState(false);
  const found = useAnswer("threshold", wanted ? { ...options } : null, { job: true });
  // Asked for by itself: the curve of one word is exact, however few words the average is taken over.
  const single = useAnswer("threshold", wanted && word ? { ...options, word: [word], sample: 40 } : null, {
    job: true,
  });
  const own = word ? single.answer?.word_curves[0] : null;
  return html`<details class="fold" onToggle=${(event) => event.target.open && setWanted(true)}>
    <summary>From which similarity on are words related?</summary>
    <${Outcome} asked=${found} wait="Comparing a sample of words with all others…">
      ${(answer) => {
        const rows = answer.curve.filter((one) => one.neighbours > FEWEST);
        const lines = own?.curve.filter((one) => one.neighbours > FEWEST) ?? [];
        const draw = (Plot, width) => ({
          height: Math.round(Math.min(380, width * 0.5)),
          x: { label: "similarity →", domain: [Math.max(0, rows[0].similarity), 1] },
          y: { type: "log", label: "↑ neighbours of a word", grid: true, tickFormat: ",~r" },
          marks: [
            Plot.rectX([answer.interval], {
              x1: (one) => one[0],
              x2: (one) => Math.min(1, one[1]),
              fill: colour("accent-soft"),
            }),
            Plot.line(rows, { x: "similarity", y: "neighbours", stroke: colour("c0"), strokeWidth: 2 }),
            Plot.line(lines, { x: "similarity", y: "neighbours", stroke: colour("c2"), strokeWidth: 2 }),
            Plot.ruleX([answer.threshold], { stroke: colour("c1"), strokeDasharray: "5 4", strokeWidth: 2 }),
          ],
        });
        return html`<p>
            A word has ${number(answer.synonyms)} synonyms on average. As many words lie above a similarity of
            ${" "}<strong>${number(answer.threshold)}</strong>${" "}
            (${number(answer.interval[0])} to ${number(answer.interval[1])}).
            ${own && html` Of “${own.word}”, as many lie above <strong>${number(own.threshold)}</strong>.`}
          </p>
          <${Figure} title=${`${number(answer.words)} words`}
            label=${`Neighbours by similarity; words are related from ${number(answer.threshold)}`} name="threshold"
              draw=${draw} deps=${[answer, own]}
              legend=${
                own
                  ? [
                      ["the average word", colour("c0")],
                      [own.word, colour("c2")],
                    ]
                  : []
              } />`;
      }}
    </${Outcome}>
    <${Trouble} problem=${single.problem} />
  </details>`;
}

/** How far the similarities of two models are apart, by how high they are. */
function Uncertainty({ models }) {
  const [wanted, setWanted] = useState(false);
  const options = { models };
  const found = useAnswer("measure_uncertainty", wanted ? options : null, { job: true });
  return html`<details class="fold" onToggle=${(event) => event.target.open && setWanted(true)}>
    <summary>How sure is it?</summary>
    <${Outcome} asked=${found} wait="Comparing the models with each other…">
      ${(answer) => {
        const rows = answer.results.filter((one) => one.pairs >= 20);
        const draw = (Plot, width) => ({
          height: Math.round(Math.min(380, width * 0.5)),
          x: { label: "similarity →" },
          y: { label: "↑ difference between two models", grid: true, zero: true },
          marks: [
            Plot.line(rows, { x: "similarity", y: "uncertainty", stroke: colour("c0"), strokeWidth: 2 }),
            Plot.dot(rows, { x: "similarity", y: "uncertainty", fill: colour("c0"), r: 4 }),
          ],
        });
        return html`<div class="spread">
            <p class="small">Similarities differ by this much between two models of the same text.</p>
            <${Export} verb="measure_uncertainty" options=${options} title=${`${models}: uncertainty`}
              results=${answer.results} pin=${false} />
          </div>
          <${Figure} title="Uncertainty by similarity" name="uncertainty" draw=${draw} deps=${[answer]}
            label=${`Mean differences: ${rows
              .filter((_, i) => i % 4 === 0)
              .map((one) => `${number(one.uncertainty, 2)} at ${number(one.similarity, 2)}`)
              .join(", ")}`} />
          <${Notes} notes=${answer.notes} />`;
      }}
    </${Outcome}>
  </details>`;
}

function Train({ word }) {
  const { index, refresh } = usePage();
  const [job, setJob] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const train = async () => {
    leaving.current = new AbortController();
    setJob({ state: "waiting" });
    setProblem(null);
    try {
      const told = await work(
        "train_vectors",
        { index, seeds: 5, dimensions: [100], min_count: 3 },
        setJob,
        leaving.current.signal,
      );
      await refresh();
      go(href("measure", { tool: "words", word: word || null, models: told.results[0].where }));
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") setProblem(error);
    } finally {
      setJob(null);
    }
  };
  return html`<details class="fold">
    <summary>How sure is it?</summary>
    <p class="small">
      Train five models of “${index}” that differ by chance alone; where they disagree, it is unsure. Small
      ${" "}collections give poor models.
    </p>
    ${
      job
        ? html`<${Progress} job=${job} cancel=${() => (leaving.current.abort(), setJob(null))} />`
        : html`<button
      type="button" onClick=${train}>Train five models</button>`
    }
    <${Trouble} problem=${problem} />
  </details>`;
}
