// @ts-check
// Two texts, or two groups of texts, side by side: what each says, and where they say the same.
import { useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Concordance } from "../lib/context.js";
import { Export } from "../lib/export.js";
import { DocumentSelect, useMetadata } from "../lib/documents.js";
import { describe, narrow, parse } from "../lib/filter.js";
import { useQuestions } from "../lib/questions.js";
import { HUGE, keepPaste, onLongPaste, usePaste } from "../lib/pastes.js";
import { Ribbons } from "../lib/ribbons.js";
import { change, href } from "../lib/route.js";
import { titleOf } from "../lib/text.js";
import { Numbers } from "./compare-numbers.js";
import {
  Check,
  Choice,
  Outcome,
  Select,
  Trouble,
  Typed,
  html,
  number,
  plural,
  pluralBoth,
  shorten,
  usePage,
} from "../lib/ui.js";

const SHOWN = 18; // words of a side
const FEW = 3; // pairs of passages that are shown even if they are not close
const CLOSE = 0.65;
const QUICK = 30_000; // words of both texts in which shared passages are looked for without being asked
const PASSAGES = 20;

/** @typedef {{ kind: "document" | "group" | "paste", value: string, text: string }} Side */

/** @param {URLSearchParams} params @param {"a" | "b"} name @returns {Side} */
function useSide(params, name) {
  const text = usePaste(params.get(`${name}_where`) ?? params.get(`text_${name}`) ?? "");
  if (params.has(`${name}_where`)) return { kind: "group", value: params.get(`${name}_where`) ?? "", text };
  if (params.has(`text_${name}`)) return { kind: "paste", value: params.get(`text_${name}`) ?? "", text };
  return { kind: "document", value: params.get(name) ?? "", text };
}

/** The filter holds for groups; a text that was chosen stays. @param {"a" | "b"} name @param {Side} side
 * @param {string[]} where */
const optionsOf = (name, { kind, value }, where) =>
  kind === "group"
    ? { [`${name}_where`]: [value, ...narrow(where, parse(value).field)] }
    : kind === "paste"
      ? { [`text_${name}`]: value }
      : { [name]: value };

/** @param {Side} side @param {Record<string, any>} metadata @param {string} letter */
function nameOf(side, metadata, letter) {
  if (side.kind === "paste") return `your text ${letter}`;
  if (side.kind === "group")
    return parse(side.value).field === "id"
      ? `group ${letter} (${describe(side.text)})`
      : describe(side.value).replace(/^\w+ is /, "");
  return titleOf(side.value, metadata[side.value]);
}

export function Compare() {
  const { index, params, where, about } = usePage();
  const documents = useAnswer("documents", { index, k: 2000 });
  const list = useAnswer("documents", { index, where, k: 2000 }).answer?.results ?? [];
  const a = useSide(params, "a");
  const b = useSide(params, "b");
  const metadata = useMetadata([a, b].filter((side) => side.kind === "document").map((side) => side.value));
  const ready = a.value.trim() && b.value.trim();
  const stopwords = params.get("stopwords") !== "keep";
  const own = [a, b].map((side) => metadata[side.value]?.language).find((code) => /^[a-z]{2}$/.test(code));
  const options = ready
    ? {
        index,
        ...optionsOf("a", a, where),
        ...optionsOf("b", b, where),
        measure: "js",
        stopwords: stopwords ? (own ?? about.language) : null,
        bits: true,
      }
    : null;
  const found = useAnswer("compare", options);
  if (found.problem?.status === 404) found.problem.hint = "Choose another text above.";
  return html`<h1 class=${ready ? "unseen" : ""}>Compare</h1>
    ${
      !ready &&
      html`<p
      class="lead">Choose two texts, or two groups, such as all of one author against all of another.</p>`
    }
    <${Trouble} problem=${documents.problem} retry=${documents.retry} />
    <div class="sides">
      <${Picker} name="a" side=${a} metadata=${metadata} />
      <span class="versus" aria-hidden="true">and</span>
      <${Picker} name="b" side=${b} metadata=${metadata} />
    </div>
    ${!ready && html`<${Suggest} list=${list} metadata=${metadata} />`}
    ${
      ready &&
      html`<${Outcome} asked=${found} wait="Comparing…">
      ${(answer) => html`<${Result} answer=${answer} options=${options} a=${a} b=${b} metadata=${metadata}
        stopwords=${stopwords} />`}
    </${Outcome}>`
    }`;
}

function Picker({ name, side, metadata }) {
  const { about } = usePage();
  const [kind, setKind] = useState(side.kind);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const letter = name.toUpperCase();
  const shown = side.value ? side.kind : kind;
  const latest = useRef(0);
  const put = async (next, value) => {
    setKind(next);
    const turn = ++latest.current;
    setProblem(null);
    let kept = value;
    try {
      if (next === "paste") kept = await keepPaste(value);
    } catch (error) {
      return turn === latest.current ? setProblem(error) : null;
    }
    if (turn !== latest.current) return; // something else was chosen meanwhile
    change(
      {
        [name]: null,
        [`${name}_where`]: null,
        [`text_${name}`]: null,
        ...(next === "document"
          ? { [name]: value }
          : next === "group"
            ? { [`${name}_where`]: value }
            : { [`text_${name}`]: kept }),
      },
      next === "paste" ? { typed: name } : {},
    );
  };
  const groups = Object.entries(about.metadata).flatMap(([field, values]) =>
    Object.entries(values)
      .filter(
        ([value, count]) =>
          value && Object.keys(values).length > 1 && (count > 1 || Object.keys(values).length <= 40),
      )
      .map(([value, count]) => [`${field}=${value}`, `${field}: ${value} (${count})`]),
  );
  const isOther = side.kind === "group" && side.value && !groups.some(([key]) => key === side.value);
  const other = isOther ? [[side.value, describe(side.text)]] : []; // a lasso
  return html`<fieldset class="side-${name} picker">
    <legend class="unseen">${letter}</legend>
    <div class="row middle"><strong class="letter ink-${name}" aria-hidden="true">${letter}</strong>
    <${Choice}
      label=${`Where ${letter} comes from`}
      hidden
      name=${`from-${name}`}
      value=${shown}
      choices=${[["document", "Text"], ...(groups.length ? [["group", "Group"]] : []), ["paste", "Paste"]]}
      onChange=${(value) => (side.value ? put(value, "") : setKind(value), setKind(value))}
    /></div>
    ${
      shown === "document" &&
      html`<${DocumentSelect} label=${`Text ${letter}`} value=${side.kind === "document" ? side.value : ""}
        metadata=${metadata} onChange=${(value) => put("document", value)} />`
    }
    ${
      shown === "group" &&
      html`<${Select} label=${`Group ${letter}`} hidden value=${side.kind === "group" ? side.value : ""}
        choices=${[["", "Choose a group"], ...groups, ...other]}
        onChange=${(value) => put("group", value)} />`
    }
    ${
      shown === "paste" &&
      (side.text.length > HUGE
        ? html`<p class="small">“${shorten(side.text, 80)}”: ${plural(side.text.length, "character")} <button
            type="button" class="link" onClick=${() => put("paste", "")}>Paste another text</button></p>`
        : html`<${Typed} tag="textarea" rows="3" aria-label=${`Your text ${letter}`}
      onPaste=${onLongPaste((text) => put("paste", text))}
      placeholder="Paste a text" onKeyDown=${() => {}} value=${side.kind === "paste" ? side.text : ""}
        onInput=${(value) => put("paste", value)} />`)
    }
    <${Trouble} problem=${problem} />
  </fieldset>`;
}

function Suggest({ list, metadata }) {
  const { about } = usePage();
  const asked = useQuestions("compare");
  const groups = Object.entries(about.metadata)
    .map(([field, values]) => ({ field, values: Object.entries(values).sort((x, y) => y[1] - x[1]) }))
    .map(({ field, values }) => ({ field, values: values.filter(([value]) => value) }))
    .filter(({ values }) => values.length > 1 && values[1][1] > Math.max(1, about.documents / 50))
    .slice(0, 2)
    .map(({ field, values: [[one], [other]] }) => ({
      text: `All of ${one} and all of ${other}`,
      values: { a_where: `${field}=${one}`, b_where: `${field}=${other}` },
    }));
  const title = (one) => titleOf(one.id, metadata[one.id]);
  const [a, b] = list;
  const pair = b ? [{ text: `${title(a)} and ${title(b)}`, values: { a: a.id, b: b.id } }] : [];
  return html`<ul class="examples" aria-label="Examples">
    ${[...asked, ...groups, ...pair]
      .slice(0, 4)
      .map((one) => html`<li><a href=${href("compare", one.values)}>${one.text}</a></li>`)}
  </ul>`;
}

function Result({ answer, options, a, b, metadata, stopwords }) {
  const { params, index } = usePage();
  const one = answer.results[0];
  const names = [nameOf(a, metadata, "A"), nameOf(b, metadata, "B")];
  const rates = one.explanation?.per_thousand ?? {};
  const written = one.explanation?.written ?? {};
  const words = useMemo(
    () =>
      (one.explanation?.reasons ?? [])
        .filter((each) => !each.query.startsWith("(") && rates[each.query])
        .map((each) => ({
          word: written[each.query] ?? each.query,
          adds: Math.abs(each.contribution),
          a: rates[each.query][0],
          b: rates[each.query][1],
        }))
        .sort((x, y) => y.adds - x.adds),
    [answer],
  );
  const sides = [
    words.filter((each) => each.a > each.b).slice(0, SHOWN),
    words.filter((each) => each.b > each.a).slice(0, SHOWN),
  ];
  const most = Math.max(...sides.flat().map((each) => each.adds), 1e-12);
  const word = params.get("word") ?? "";
  const says = (side) =>
    sides[side]
      .slice(0, 3)
      .map((each) => each.word)
      .join(", ") || "nothing of its own";
  return html`<p class="verdict">
      <strong class="ink-a">${names[0].replace(/^[yg](?=our text|roup [AB])/, (c) => c.toUpperCase())}</strong>
      ${" says "}<em>${says(0)}</em>; <strong class="ink-b">${names[1]}</strong> says <em>${says(1)}</em>.
    </p>
    <div class="spread">
      <${Check} label="Leave out common words" checked=${stopwords}
        onChange=${(on) => change({ stopwords: on ? null : "keep" })} />
      <${Export} verb="compare" options=${options} title=${`${names[0]} and ${names[1]}`} results=${words}
        quotes=${() => [{ text: `${names[0]} says ${says(0)}; ${names[1]} says ${says(1)}.`, source: index }]}
        table=${words.slice(0, 20).map((one) => ({
          word: one.word,
          [`A: ${names[0]}, per 1,000 words`]: one.a,
          [`B: ${names[1]}, per 1,000 words`]: one.b,
        }))} />
    </div>
    <div class="two said">
      ${sides.map(
        (list, side) =>
          html`<section class=${`side-${side ? "b" : "a"}`} aria-label=${`Words of ${names[side]}`}>
            <h2>${side ? "B" : "A"}: ${names[side]} <span
              class="small">${plural(side ? one.m : one.n, "word")}${stopwords && " besides common ones"}</span>
              </h2>
            <ul class="tinted">
              ${list.map(
                (each) =>
                  html`<li>
                    <button type="button" aria-pressed=${String(each.word === word)}
                      title=${`${number(each.a)} per 1,000 words in A, ${number(each.b)} in B. Click for contexts.`}
                      onClick=${() => change({ word: each.word === word ? null : each.word })}>
                      <span class="bar" style=${{ width: `${(100 * each.adds) / most}%` }}></span><span
                        class="name">${each.word}</span>
                      <span class="small">${side ? times(each.b, each.a) : times(each.a, each.b)}</span>
                    </button>
                  </li>`,
              )}
            </ul>
          </section>`,
      )}
    </div>
    <p class="small">Blue words are more frequent in A, orange ones in B; a longer bar tells the two apart better.</p>
    ${word && html`<${InContext} word=${word} a=${a} b=${b} names=${names} />`}
    <${Alike} a=${a} b=${b} names=${names} words=${one.n + one.m} metadata=${metadata} />
    <${Numbers} answer=${answer} options=${options} words=${words} />`;
}

const times = (more, less) => (less > 0 ? `${number(more / less, 2)}×` : "only here");

function InContext({ word, a, b, names }) {
  const { index, where: filter } = usePage();
  const where = (side) =>
    side.kind === "group"
      ? { index, where: [side.value, ...narrow(filter, parse(side.value).field)] }
      : side.kind === "document"
        ? { index, document: [side.value] }
        : { text: [side.value] };
  return html`<div class="stack">
    ${[a, b].map(
      (side, i) => html`<div class=${`side-${i ? "b" : "a"}`}><${Concordance} key=${word + i} word=${word}
      options=${where(side)} heading=${html`“${word}” in ${names[i]}`} /></div>`,
    )}
  </div>`;
}

/** Where A and B say the same: passages that one may have from the other, and sentences that mean the same. */
function Alike({ a, b, names, words, metadata }) {
  const isPasted = a.kind === "paste" || b.kind === "paste";
  const canShare = a.kind !== "group" && b.kind !== "group";
  return html`${canShare && html`<${Shared} ...${{ a, b, names, words, metadata }} />`}
    ${!isPasted && html`<${Aligned} a=${a} b=${b} names=${names} />`}`;
}

function Shared({ a, b, names, words, metadata }) {
  const { index, params } = usePage();
  const isWanted = words < QUICK || params.get("shared") === "true";
  const one = a.kind === "paste" ? { text: [a.value] } : { document: [a.value] };
  const options = { index, ...one, ...(b.kind === "paste" ? { text_b: b.value } : { b: b.value }) };
  const found = useAnswer("reuse", isWanted ? options : null, { job: true });
  const place = (side, span) =>
    side.kind === "paste" ? { document: "" } : { document: span.document, metadata: metadata[span.document] };
  const pairs = useMemo(
    () =>
      (found.answer?.results ?? []).slice(0, PASSAGES).map((each) => ({
        label: `${KINDS[each.kind]}, ${pluralBoth(each.a.words, each.b.words, "word")}`,
        a: { ...passageOf(each, "a"), ...place(a, each.a) },
        b: { ...passageOf(each, "b"), ...place(b, each.b) },
      })),
    [found.answer],
  );
  return html`<section aria-label="Shared passages">
    <div class="spread">
      <h2>Shared passages</h2>
      ${
        pairs.length > 0 &&
        html`<${Export} verb="reuse" options=${options} title=${`${names[0]} and ${names[1]}: shared passages`}
        results=${pairs.map((each) => ({ passage: each.label, a: each.a.text, b: each.b.text }))} />`
      }
    </div>
    ${
      isWanted
        ? html`<${Outcome} asked=${found} wait="Looking for passages that both have…">
          ${(answer) =>
            answer.results.length
              ? html`<${Ribbons} pairs=${pairs} names=${names} />
                  ${
                    answer.results.length > PASSAGES &&
                    html`<p class="small">The ${PASSAGES} clearest of ${number(answer.results.length)}.</p>`
                  }`
              : html`<p class="hint">They share no passage, copied or reworded, that chance would not explain.</p>`}
        </${Outcome}>`
        : html`<button type="button" onClick=${() => change({ shared: "true" })}>
            Look for passages that both have
          </button>
          <span class="small"> Copied or reworded; in texts as long as these it takes up to a minute.</span>`
    }
  </section>`;
}

const KINDS = { verbatim: "word for word", edited: "edited", reworded: "reworded" };

/** One side of a shared passage, with the words that correspond marked.
 * @param {import("../lib/types").PassagePair} pair @param {"a" | "b"} side */
function passageOf(pair, side) {
  const { start, text, sentences } = pair[side];
  const highlights = pair.alignment.flatMap((step) => {
    const place = step[side];
    return place && !step.op.startsWith("only")
      ? [{ start: place[0] - start, end: place[1] - start, query: "", weight: step.op === "identical" ? 1 : 0 }]
      : [];
  });
  highlights.sort((x, y) => x.start - y.start);
  return { text, highlights, sentence: sentences[0], metadata: {} };
}

function Aligned({ a, b, names }) {
  const { index, where } = usePage();
  const found = useAnswer("align", { index, a: a.value, b: b.value, where, k: 8 });
  return html`<section aria-label="Closest passages">
    <h2>Closest passages</h2>
    <${Outcome} asked=${found} wait="Comparing their sentences…">
      ${(answer) =>
        answer.results.length
          ? html`<${Ribbons} pairs=${answer.results.filter((one, i) => i < FEW || one.similarity > CLOSE)}
              names=${names} />`
          : html`<p class="hint">No sentences are close enough to show.</p>`}
    </${Outcome}>
  </section>`;
}
