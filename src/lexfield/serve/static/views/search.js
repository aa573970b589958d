// @ts-check
// Sentences or documents that answer a text, with the reasons in words.
import { useEffect, useMemo } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { Groups, Hit, PartsKey, Reach, quoteOf } from "../lib/hit.js";
import { setMarks } from "../lib/marks.js";
import { change, href } from "../lib/route.js";
import { colours } from "../lib/text.js";
import {
  Check,
  Choice,
  Menu,
  Notes,
  Outcome,
  Select,
  Typed,
  html,
  number,
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
const STEP = { sentence: 10, document: 5 }; // a document shows several passages
const MOST = 200;

export function Search() {
  const page = usePage();
  const { params, index, where, about } = page;
  const q = params.get("q") ?? "";
  const like = params.get("like") ?? "";
  const chosen = params.getAll("method").length ? params.getAll("method") : ["best"];
  const isOne = params.get("combine") === "true" && chosen.length > 1;
  const methods = isOne ? [`fuse(${chosen.join(", ")})`] : chosen;
  const unit = params.get("unit") ?? "sentence";
  const k = Math.min(MOST, Number(params.get("k")) || STEP[unit] || STEP.sentence);
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
  const isLong = about.tokens > MANY && (like ? !/#\d+$/.test(like) : unit === "document");
  const slow = isLong && (!!like || chosen.some((name) => SLOW.includes(name.split("(")[0])));
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
    <${Form} asks=${asks} q=${q} like=${like} methods=${chosen} unit=${unit} isOne=${isOne} />
    ${!asks && html`<${Examples} />`}
    ${
      asks &&
      html`<${Outcome} asked=${found} wait="Searching…">
      ${(answer) => html`<${Results} answer=${answer} reach=${reach.answer} options=${options} methods=${methods}
        unit=${unit} k=${k} />`}
    </${Outcome}>`
    }`;
}

function Form({ asks, q, like, methods, unit, isOne }) {
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
      <${Typed} tag="textarea"
        name="q" rows="1" maxlength="20000" aria-label="Your text"
        placeholder="A sentence, a question, a few words…" value=${q}
        onInput=${(text) => change({ q: text, like: null, k: null }, { typed: "q" })}
      />
      <button class="main" type="submit">Search</button>
    </div>
    <div class="ask-options">
      <${Choice} label="Find"
        hidden
        name="unit" value=${unit}
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
        methods.length > 1 &&
        html`<${Check} label="Combine into one list" checked=${isOne}
        title="The best are those that several methods rank high"
        onChange=${(on) => change({ combine: on ? "true" : null, k: null })} />`
      }
      ${
        metrics.length > 0 &&
        html`<${Select} label="Learned metric"
        hidden
        value=${params.get("metric") ?? ""}
        choices=${[["", "No learned metric"], ...metrics.map((one) => [one.name, `Metric ${one.name}`])]}
        onChange=${(value) => change({ metric: value })}
      />`
      }
      ${
        methods.some((name) => SUMS.includes(name.split("(")[0])) &&
        html`<${Check} label="My text is a sum of words, as in 3*storm - rain"
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
    <button type="button" class="link" aria-label="Ask something else"
      onClick=${() => change({ like: null })}>×</button>
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

/** Why nothing was found, and what to do. @param {string[]} notes @param {boolean} isFiltered */
function whyNone(notes, isFiltered) {
  if (isFiltered && notes.some((note) => note.startsWith("no document has")))
    return "No document passes the filter. Clear it on the left, or choose less.";
  if (notes.some((note) => note.includes("only stopwords")))
    return "Your text has only very common words, such as “the” or “and”. Add one that says more.";
  return `Try other words${isFiltered ? ", or clear the filter on the left" : ""}.`;
}

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
  const have =
    known === null || options.like
      ? ""
      : `; ${known === 1 ? `1 ${unit} has` : `${plural(known, unit)} have`} a word of yours`;
  const best = lists.length > 1 ? `${number(k)} best of each method` : `${number(count)} best`;
  const among = where.length ? "that pass the filter" : `of ${plural(all, unit)}`;
  const head = useMemo(
    () => (count ? `The ${best} ${among}${have}` : "Nothing answers this."),
    [answer], // it changes with the hits
  );
  return html`<div class="spread results-head">
      <p class="small" role="status">${head}</p>
      ${methods.includes("best") && count > 0 && html`<${PartsKey} hits=${answer.results} />`}
      <div class="row middle">
        ${
          unit === "sentence" &&
          methods.length === 1 &&
          count > 0 &&
          html`<${Check} label="Group by document" checked=${grouped}
            onChange=${(on) => change({ group: on ? "true" : null })} />`
        }
        ${
          count > 0 &&
          html`<${Export} verb="search" options=${options} title=${`Search: ${options.query ?? options.like}`}
          results=${answer.results} quotes=${quotes} />`
        }
      </div>
    </div>
    ${!count && html`<p class="hint">${whyNone(answer.notes, where.length > 0)}</p>`}
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
          onClick=${() => change({ k: String(k + (STEP[unit] ?? STEP.sentence)) }, { replace: true })}>
          Show more
        </button>`
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
