// @ts-check
// Sentences or documents that answer a text, with the reasons in words.
import { useEffect, useMemo, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { toggle } from "../lib/filter.js";
import { Flows } from "../lib/flows.js";
import { addPin } from "../lib/pins.js";
import { setMarks } from "../lib/marks.js";
import { change, href } from "../lib/route.js";
import { DocumentLink, Marked, colours, pieces, quotation, read, sourceOf, titleOf } from "../lib/text.js";
import {
  Check,
  Choice,
  Menu,
  Notes,
  Outcome,
  Select,
  Typed,
  copy,
  html,
  number,
  percent,
  plural,
  say,
  shorten,
  usePage,
} from "../lib/ui.js";

const METHODS = {
  best: ["Best", "words, related words and meaning together"],
  ideas: ["Ideas", "varied sentences that take up your words"],
  setcover: ["Set cover", "each sentence covers another part of your text"],
  mean: ["Meaning", "the most alike in meaning overall"],
  wmd: ["Word mover", "the least work to turn your words into theirs"],
  jaccard: ["Shared words", "the most words in common"],
  edit: ["Spelling", "the fewest letters changed"],
  bow: ["Word counts", "the most alike counts of words"],
  topic: ["Topics", "about the same topics"],
  bm25: ["BM25", "rare words in short texts count most"],
  lm: ["Language model", "the likeliest to produce your words"],
  translation: ["Translation", "words that often stand for yours count, too"],
};
const SUMS = ["count", "frequency", "bm25", "lm", "translation"]; // whose questions may be sums of words
const SLOW = ["wmd", "edit"];
const MANY = 1_000_000; // words of a collection on whose documents these take long
const STEP = 10;
const MOST = 200;

export function Search() {
  const page = usePage();
  const { params, index, where, about } = page;
  const q = params.get("q") ?? "";
  const like = params.get("like") ?? "";
  const methods = params.getAll("method").length ? params.getAll("method") : ["best"];
  const unit = params.get("unit") ?? "sentence";
  const k = Math.min(MOST, Number(params.get("k") ?? STEP) || STEP);
  const asks = Boolean(q.trim() || like);
  const options = asks
    ? {
        index,
        query: like ? null : q.trim(),
        like: like || null,
        method: methods,
        k,
        unit: like ? null : unit,
        where,
        metric: params.get("metric"),
        algebra: !like && params.get("algebra") === "true" ? true : null,
      }
    : null;
  const slow =
    unit === "document" && about.tokens > MANY && methods.some((name) => SLOW.includes(name.split("(")[0]));
  const found = useAnswer("search", options, { job: slow });
  const reach = useAnswer("balls", q.trim() && !like ? { index, query: q.trim() } : null);
  const results = found.answer?.results;
  useEffect(() => {
    if (results) say(`${results.length} found`);
  }, [results]);
  return html`<h1 class=${asks ? "unseen" : ""}>Search</h1>
    ${
      !asks &&
      html`<p
      class="lead">Write what you are looking for in your own words. You see what answers it, and why.</p>`
    }
    <${Form} asks=${asks} q=${q} like=${like} methods=${methods} unit=${unit} />
    ${!asks && html`<${Examples} />`}
    ${
      asks &&
      html`<${Outcome} asked=${found} wait="Searching…">
      ${(answer) => html`<${Results} answer=${answer} reach=${reach.answer} options=${options} methods=${methods}
        unit=${unit} k=${k} />`}
    </${Outcome}>`
    }`;
}

function Form({ asks, q, like, methods, unit }) {
  const { server, about, params, index } = usePage();
  const metrics = useAnswer("list_metrics", { index }).answer?.results ?? [];
  const known = Object.keys(METHODS).filter(
    (name) =>
      server.methods.includes(name) &&
      (name !== "topic" || about.topics) &&
      (!SUMS.includes(name) || methods.includes(name)),
  );
  const shown = [...known, ...methods.filter((one) => !known.includes(one))];
  const pick = (name, on) => {
    const next = on ? [...methods, name] : methods.filter((one) => one !== name);
    change({ method: next.length && next.join() !== "best" ? next : null, k: null });
  };
  const submit = (event) => {
    event.preventDefault();
    const text = new FormData(event.target).get("q");
    if (String(text).trim()) change({ q: String(text).trim(), like: null, k: null });
  };
  return html`<form class="ask ${asks ? "folded" : ""}" role="search" onSubmit=${submit}>
    <div class="ask-line">
      <${Typed}
        tag="textarea"
        name="q"
        rows="1"
        maxlength="20000"
        aria-label="Your text"
        placeholder="A sentence, a question, a few words…"
        value=${q}
        onInput=${(text) => change({ q: text, like: null, k: null }, { typed: "q" })}
      />
      <button class="main" type="submit">Search</button>
    </div>
    <div class="ask-options">
      <${Choice}
        label="Find"
        hidden
        name="unit"
        value=${unit}
        choices=${[
          ["sentence", "Sentences"],
          ["document", "Documents"],
        ]}
        onChange=${(value) => change({ unit: value === "sentence" ? null : value, k: null })}
      />
      <${Menu} label=${`Method: ${methods.map((one) => METHODS[one]?.[0] ?? one).join(", ")}`} class="methods">
        ${() => html`<fieldset>
          <legend>Methods; several stand side by side</legend>
          ${shown.map(
            (name) =>
              html`<label class="check"
                ><input type="checkbox" checked=${methods.includes(name)}
                  onChange=${(event) => pick(name, event.target.checked)} />
                <span><strong>${METHODS[name]?.[0] ?? name}</strong> <span class="small">${METHODS[name]?.[1]}</span>
                  </span></label
              >`,
          )}
        </fieldset>`}
      </${Menu}>
      ${
        metrics.length > 0 &&
        html`<${Select}
        label="Learned metric"
        hidden
        value=${params.get("metric") ?? ""}
        choices=${[["", "No learned metric"], ...metrics.map((one) => [one.name, `Metric ${one.name}`])]}
        onChange=${(value) => change({ metric: value })}
      />`
      }
      ${
        methods.some((name) => SUMS.includes(name.split("(")[0])) &&
        html`<${Check}
        label="My text is a sum of words, as in 3*storm - rain"
        checked=${params.get("algebra") === "true"}
        onChange=${(on) => change({ algebra: on ? "true" : null })}
      />`
      }
      ${like && html`<${Liked} id=${like} />`}
    </div>
  </form>`;
}

/** The sentence or document that others are to be like. */
function Liked({ id }) {
  const { index } = usePage();
  const [, document, sentence] = /^(.*?)(?:#(\d+))?$/s.exec(id) ?? [];
  const found = useAnswer("text", { index, document, start: Number(sentence ?? 0), count: 1 }).answer?.results[0];
  return html`<span class="tag on">More like ${found && sentence ? `“${shorten(found.text, 120)}”` : id}
    <button type="button" class="link" aria-label="Ask something else" onClick=${() => change({ like: null })}>×</button>
  </span>`;
}

function Examples() {
  const { index, about } = usePage();
  const unusual = useAnswer("overview", { index }).answer?.unusual ?? [];
  const texts = unusual.map((one) => one.text.replace(/\s+/g, " "));
  return html`<p class="hint">
      ${plural(about.documents, "document")}, ${plural(about.sentences, "sentence")}. Results come as you type;
      press${" "}<kbd>/</kbd> to begin.
    </p>
    ${
      texts.length > 0 &&
      html`<h2>Begin with one of these</h2>
      <ul class="examples" aria-label="Examples">
        ${texts.slice(0, 4).map((text) => html`<li><a href=${href("search", { q: text })}>${text}</a></li>`)}
      </ul>`
    }`;
}

const plainly = (method) => method.replace(/\s/g, "");

function Results({ answer, reach, options, methods, unit, k }) {
  const { about, params, where } = usePage();
  const colourOf = useMemo(() => {
    const of = colours();
    for (const one of reach?.results ?? []) of(one.word);
    return of;
  }, [reach, answer]);
  useEffect(() => {
    setMarks(answer.results, colourOf);
    return () => setMarks([]);
  }, [answer, colourOf]);
  // The server writes a method in its shortest form; the order is that of the question.
  const named = [...new Set(answer.results.map((hit) => hit.method))];
  const label = (method) =>
    named.find((name) => name && plainly(name) === plainly(method)) ?? named[methods.indexOf(method)];
  const lists = methods.map((method) => [
    method,
    methods.length === 1 ? answer.results : answer.results.filter((hit) => hit.method === label(method)),
  ]);
  const count = answer.results.length;
  const grouped = params.get("group") === "true" && unit === "sentence";
  const all = unit === "document" ? about.documents : about.sentences;
  const known = answer.matches ?? null;
  const more = k < MOST && lists.some(([, hits]) => hits.length >= k);
  const quotes = () => answer.results.map((hit) => quoteOf(hit));
  const have = known === null || options.like ? "" : `; ${known === 1 ? `1 ${unit} has` : `${plural(known, unit)} have`} a word of yours`;
  const head = useMemo(
    () => count ? `The ${number(count)} best ${where.length ? "that pass the filter" : `of ${plural(all, unit)}`}${have}` : "Nothing answers this.",
    [answer], // it changes with the hits
  );
  return html`<div class="spread results-head">
      <p class="small" role="status">${head}</p>
      <div class="row middle">
        ${
          unit === "sentence" &&
          methods.length === 1 &&
          count > 0 &&
          html`<${Check} label="Group by document" checked=${grouped}
            onChange=${(on) => change({ group: on ? "true" : null })} />`
        }
        <${Export} verb="search" options=${options} title=${`Search: ${options.query ?? `like ${options.like}`}`}
          results=${answer.results} quotes=${quotes} />
      </div>
    </div>
    ${!count && html`<p class="hint">Try other words, or clear the filter on the left.</p>`}
    ${reach && html`<${Reach} reach=${reach} hits=${answer.results} lists=${lists} colourOf=${colourOf} />`}
    <div class=${lists.length > 1 ? "columns" : ""}>
      ${lists.map(
        ([method, hits]) =>
          html`<section class=${lists.length > 1 ? "card" : ""} aria-label=${METHODS[method]?.[0] ?? method}>
            ${
              lists.length > 1 &&
              html`<h2>${METHODS[method]?.[0] ?? method} <span
              class="small">${METHODS[method]?.[1]}</span></h2>`
            }
            ${
              grouped
                ? html`<${Groups} hits=${hits} colourOf=${colourOf} />`
                : hits.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} colourOf=${colourOf} unit=${unit} />`)
            }
            ${lists.length > 1 && !hits.length && html`<p class="hint">Nothing.</p>`}
          </section>`,
      )}
    </div>
    <div class="row">
      ${
        more &&
        html`<button type="button"
        onClick=${() => change({ k: String(k + STEP) }, { replace: true })}>Show more</button>`
      }
      ${
        !methods.includes("ideas") &&
        count > 0 &&
        unit === "sentence" &&
        !options.like &&
        html`<button type="button"
          onClick=${() => change({ method: ["ideas"], k: null })}>Inspire me: varied sentences</button>`
      }
    </div>
    <${Notes} notes=${answer.notes} />`;
}

const quoteOf = (hit) => ({
  text: hit.passages[0]?.text ?? hit.text,
  source: sourceOf(hit.document, hit.metadata, hit.passages[0]?.sentence ?? null),
});

function Groups({ hits, colourOf }) {
  const groups = new Map();
  for (const hit of hits) groups.set(hit.document, [...(groups.get(hit.document) ?? []), hit]);
  return [...groups].map(
    ([id, list]) =>
      html`<section class="group" key=${id} aria-label=${titleOf(id, list[0].metadata)}>
        <h2><${DocumentLink} id=${id} metadata=${list[0].metadata} /> <span
          class="small">${plural(list.length, "sentence")}</span></h2>
        ${list.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} colourOf=${colourOf} unit="sentence" inGroup />`)}
      </section>`,
  );
}

/** Not the end of a selection that somebody wants to copy. */
const isClick = () => String(getSelection()).length < 2;

function Hit({ hit, colourOf, unit, inGroup = false }) {
  const { index } = usePage();
  const [open, setOpen] = useState(false);
  const many = unit === "document";
  const about = Object.entries(hit.metadata)
    .filter(([name, value]) => value && name !== "title")
    .slice(0, 3);
  const parts = hit.explanation?.parts;
  return html`<article class="hit" data-id=${hit.id}>
    ${many && html`<h2><${DocumentLink} id=${hit.document} metadata=${hit.metadata} /></h2>`}
    ${hit.passages.map(
      (passage) => html`<p class="text open" onClick=${() => isClick() && read(hit.document, passage.sentence)}>
      <${Marked} passage=${passage} colourOf=${colourOf} />
      ${
        many &&
        html` <${DocumentLink} id=${hit.document} metadata=${{ title: `Read “${shorten(passage.text, 24)}”` }}
        sentence=${passage.sentence} class="small" />`
      }
    </p>`,
    )}
    <${Why} hit=${hit} colourOf=${colourOf} />
    <div class="about">
      ${
        !inGroup &&
        !many &&
        html`<${DocumentLink} id=${hit.document} metadata=${hit.metadata}
        sentence=${hit.passages[0]?.sentence ?? null} />`
      }
      ${
        inGroup &&
        html`<${DocumentLink} id=${hit.document}
        metadata=${{ title: `Sentence ${(hit.passages[0]?.sentence ?? 0) + 1}` }}
          sentence=${hit.passages[0]?.sentence} />`
      }
      ${!inGroup && about.map(
        ([name, value]) => html`<button type="button" class="tag" title=${`Filter: ${name} is ${value}`}
          onClick=${() => toggle(name, String(value))}>${value}</button>`,
      )}
      ${parts && html`<${Parts} parts=${parts} />`}
      <span class="acts">
        <a href=${href("search", { like: hit.id })}>More like this</a>
        <button type="button" class="quiet"
          onClick=${() => copy(quotation(quoteOf(hit).text, quoteOf(hit).source), "Quotation")}>Quote</button>
        <button type="button" class="quiet"
          onClick=${() => addPin({ index, title: titleOf(hit.document, hit.metadata), quotes: [quoteOf(hit)] })}>Pin</button>
        <button type="button" class="quiet" aria-expanded=${String(open)}
          onClick=${() => setOpen(!open)}>Numbers</button>
      </span>
    </div>
    ${open && html`<${Numbers} hit=${hit} colourOf=${colourOf} />`}
  </article>`;
}

const STRONG = 0.3; // the weight of a word from which on it is shaded, and named as a reason

/** Why a hit was found, in words: the words that are shaded, and what they stand for. */
function Why({ hit, colourOf }) {
  const said = new Map();
  for (const passage of hit.passages)
    for (const [piece, mark] of pieces(passage)) {
      if (!mark || mark.weight < STRONG) continue;
      const word = piece.toLowerCase();
      if ((said.get(word)?.weight ?? 0) < mark.weight) said.set(word, { word, query: mark.query, weight: mark.weight });
    }
  const list = [...said.values()].sort((a, b) => b.weight - a.weight).slice(0, 5);
  const name = (one) =>
    html`<strong class="w${colourOf(one.query)}">${one.word}</strong>${
      one.word !== one.query && html` for <em>${one.query}</em>`
    }`;
  return html`${
      list.length > 0 &&
      html`<p class="why">
        ${list[0].word === list[0].query ? "Has " : "Says "}${list.map(
          (one, i) => html`${i > 0 && (i === list.length - 1 ? " and " : ", ")}${name(one)}`,
        )}.
      </p>`
    }
    ${hit.differs?.length > 0 && html`<p class="why differs"><span>But:</span> ${hit.differs.join("; ")}</p>`}`;
}

const PARTS = { words: "words", sentence: "meaning", encoder: "encoder", meaning: "meaning" };
function Parts({ parts }) {
  const list = Object.entries(parts).filter(([, value]) => value > 0);
  const sum = list.reduce((total, [, value]) => total + value, 0) || 1;
  const text = list.map(([name, value]) => `${PARTS[name] ?? name} ${percent(value / sum)}`).join(", ");
  return html`<span class="parts" role="img" aria-label=${`Found by ${text}`} title=${`Found by ${text}`}>
    ${list.map(([name, value], i) => html`<i class="p${i}" style=${{ width: `${(100 * value) / sum}%` }}></i>`)}
  </span>`;
}

const SHOWN = 12;
function Numbers({ hit, colourOf }) {
  const reasons = [...(hit.explanation?.reasons ?? [])].sort(
    (a, b) => Math.abs(b.contribution) - Math.abs(a.contribution),
  );
  const named = reasons.filter((one) => !one.query.startsWith("(")).slice(0, SHOWN);
  const rest = reasons.filter((one) => !named.includes(one));
  const parts = Object.entries(hit.explanation?.parts ?? {});
  return html`<div class="numbers"><p class="small">
        Score ${number(hit.score)}${parts.length > 1 && html`: ${parts.map(([name, value]) => `${PARTS[name] ?? name} ${number(value)}`).join(" + ")}`}.
        ${hit.chance !== null && hit.chance !== undefined && html` As good as this by chance: ${number(hit.chance, 2)} expected.`}
      </p>
      ${
        hit.explanation?.flows &&
        html`<${Flows} moved=${hit.explanation.flows} reasons=${reasons}
        colourOf=${colourOf} />`
      }
      <table>
        <thead>
          <tr><th scope="col">your word</th><th scope="col">answered by</th><th scope="col" class="n">adds</th></tr>
        </thead>
        <tbody>
          ${named.map(
            (one) => html`<tr><td>${one.query || "none"}</td><td>${one.match || "none"}</td><td
            class="n">${number(one.contribution)}</td></tr>`,
          )}
          ${
            rest.length > 0 &&
            html`<tr><td colspan="2" class="small">weaker pairs</td><td
              class="n">${number(rest.reduce((sum, one) => sum + one.contribution, 0))}</td></tr>`
          }
        </tbody>
      </table>
      ${
        hit.explanation?.uncovered?.length > 0 &&
        html`<p
        class="small">Not covered so far: ${hit.explanation.uncovered.join(", ")}</p>`
      }</div>`;
}

/** The words that count as answers to each word, and whether a sentence has covered it yet. */
function Reach({ reach, hits, lists, colourOf }) {
  const used = new Set(
    hits.flatMap((hit) => (hit.explanation?.reasons ?? []).map((one) => `${one.query}\n${one.match}`)),
  );
  const cover = lists.find(([method]) => /^(ideas|setcover)/.test(method))?.[1] ?? [];
  const covered = new Map();
  for (const hit of cover)
    for (const one of reach.results)
      if (one.known && !covered.has(one.word) && hit.explanation && !hit.explanation.uncovered?.includes(one.word))
        covered.set(one.word, hit.rank);
  const state = (one) =>
    !one.known
      ? "not known to the word vectors"
      : !cover.length
        ? ""
        : covered.has(one.word)
          ? `covered by ${covered.get(one.word)}`
          : "not covered";
  const unknown = reach.results.filter((one) => !one.known).map((one) => one.word);
  return html`<details class="reach quiet-fold" open=${cover.length > 0}>
    <summary>Words it looks for</summary>
    <ul aria-label="What your words reach">
      ${reach.results.map(
        (one) =>
          html`<li>
            <span class="word w${colourOf(one.word)} strong">${one.word}</span> <span
              class="state">${state(one)}</span>
            ${one.ball.map(
              (near) => html`<span
              class=${used.has(`${one.word}\n${near.word}`) ? "used" : ""}>${near.word}</span> `,
            )}
          </li>`,
      )}
    </ul>
    ${unknown.length > 0 && html`<p class="small">Found only as they are written: ${unknown.join(", ")}.</p>`}
  </details>`;
}
