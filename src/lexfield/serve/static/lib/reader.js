// @ts-check
// A text of any length to read: only what is in view is loaded. A click on a sentence shows what is similar elsewhere.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "./api.js";
import { useMarks } from "./marks.js";
import { addPin } from "./pins.js";
import { change, href, query } from "./route.js";
import { DocumentLink, Marked, colours, pieces, quotation, titleOf } from "./text.js";
import { Choice, Outcome, Trouble, Typed, copy, html, number, plural, say, usePage } from "./ui.js";

const BLOCK = 100; // sentences that are loaded at a time
const AHEAD = "1200px"; // how far beyond the edges of the view
const LINE = 28; // pixels
const LETTER = 8.3;
const SETTLING = 1500; // milliseconds after a jump in which blocks that arrive may move the text
const MOST = 1000; // places of a word that are marked

export function Reader({ alone = false }) {
  const { index, params } = usePage();
  const doc = params.get("doc") ?? "";
  const chosen = params.has("s") ? Number(params.get("s")) : null;
  const first = useAnswer(
    "text",
    doc ? { index, document: doc, start: BLOCK * Math.floor((chosen ?? 0) / BLOCK), count: BLOCK } : null,
  );
  const about = first.answer && first.answer.document === doc ? first.answer : null;
  const close = () => {
    change({ doc: null, s: null });
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (alone) return;
    const leave = (event) =>
      event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]") && close();
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, [alone]);
  useEffect(() => {
    if (about) say(`${titleOf(doc, about.metadata)} is open beside the view.`);
  }, [about?.document]);
  if (!doc) return html`<${Empty} />`;
  return html`<aside class="reader ${alone ? "alone" : ""}" aria-label="Reader">
    <header>
      <div class="spread">
        ${alone ? html`<h1>${titleOf(doc, about?.metadata)}</h1>` : html`<h2>${titleOf(doc, about?.metadata)}</h2>`}
        <div class="tools">
          ${
            alone
              ? html`<a href=${href("overview")}>Back to the overview</a>`
              : html`<a href=${href("read", { doc, s: params.get("s") })}
                title="Read with the whole window">Enlarge</a>
                <button type="button" aria-label="Close the reader" onClick=${close}>Close</button>`
          }
        </div>
      </div>
      ${
        about &&
        html`<p class="small about-text">
        ${Object.entries(about.metadata)
          .filter(([name, value]) => value && name !== "title")
          .map(([name, value]) => html`<span class="tag" title=${name}>${value}</span> `)}
        ${plural(about.sentences, "sentence")}
      </p>`
      }
    </header>
    <${Trouble} problem=${first.problem} retry=${first.retry} />
    ${about && html`<${Text} key=${doc} index=${index} doc=${doc} about=${about} chosen=${chosen} />`}
  </aside>`;
}

function Empty() {
  const { index, where } = usePage();
  const found = useAnswer("documents", { index, where, k: 2000 });
  return html`<h1>Read</h1>
    <p class="lead">Choose a document.</p>
    <${Outcome} asked=${found}>
      ${(answer) => html`<ul class="columns plain">
        ${answer.results.map(
          (one) => html`<li><a
          href=${href("read", { doc: one.id })}>${titleOf(one.id, one.metadata)}</a></li>`,
        )}
      </ul>`}
    </${Outcome}>`;
}

function Text({ index, doc, about, chosen }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [word, setWord] = useState("");
  const found = useAnswer("kwic", word.trim() ? { index, document: [doc], word: [word.trim()], k: MOST } : null);
  const hits = useMarks(doc);
  const places = useMemo(() => new Set(found.answer?.results.map((one) => one.sentence)), [found.answer]);
  const marked = useMemo(
    () => new Map(hits.map((one) => [one.sentence, one.highlights])),
    [hits.length, hits[0]?.sentence],
  );
  const [seen, setSeen] = useState(chosen ?? 0);
  const jump = useRef({ to: chosen, at: Date.now() });
  const blocks = Math.ceil(about.sentences / BLOCK);
  const width = box.current?.clientWidth ?? 440;
  const height = Math.max(
    200,
    (((about.characters / about.sentences) * BLOCK * LETTER) / (width - 60)) * LINE * 1.15,
  );
  const leap = (sentence) => {
    jump.current = { to: sentence, at: Date.now() };
    settle();
  };
  const settle = () => {
    const { to, at } = jump.current;
    if (to === null || Date.now() - at > SETTLING || !box.current) return;
    const line = box.current.querySelector(`[data-s="${to}"]`);
    const target = line ?? box.current.querySelector(`[data-block="${Math.floor(to / BLOCK)}"]`);
    if (!target) return;
    const away = target.getBoundingClientRect().top - box.current.getBoundingClientRect().top;
    box.current.scrollTop += away - (line ? box.current.clientHeight / 3 : 0);
  };
  useLayoutEffect(() => {
    if (chosen !== null && chosen !== jump.current.to) jump.current = { to: chosen, at: Date.now() };
    else if (chosen !== null) jump.current.at = Date.now();
    const line = box.current?.querySelector(`[data-s="${chosen}"]`);
    if (line && inView(line, box.current)) return; // it was clicked: nothing moves
    settle();
  }, [chosen]);
  const still = () => (jump.current.to = null); // the reader scrolls by hand
  const follow = () => {
    const top = (box.current?.getBoundingClientRect().top ?? 0) + 60;
    const line = [...(box.current?.querySelectorAll("[data-s]") ?? [])].find(
      (one) => one.getBoundingClientRect().bottom > top,
    );
    if (line instanceof HTMLElement) setSeen(Number(line.dataset.s));
  };
  const choose = (sentence) =>
    change({ s: sentence === null ? null : String(sentence) }, { replace: chosen !== null });
  const step = (by) => {
    const next = chosen === null ? seen : Math.max(0, Math.min(about.sentences - 1, chosen + by));
    jump.current = { to: next, at: Date.now() };
    choose(next);
  };
  return html`<div class="reader-tools">
      <${Find} word=${word} setWord=${setWord} found=${found} doc=${doc} seen=${seen} leap=${leap} />
      <div class="tools">
        <button type="button" title="Choose the sentence before" aria-label="Sentence before"
          onClick=${() => step(-1)}>↑</button>
        <button type="button" title="Choose the next sentence" aria-label="Next sentence"
          onClick=${() => step(1)}>↓</button>
      </div>
    </div>
    <div class="reader-body">
      <div
        class="pages"
        ref=${box}
        tabindex="0"
        role="region"
        aria-label=${`Text of ${titleOf(doc, about.metadata)}`}
        onWheel=${still}
        onTouchMove=${still}
        onKeyDown=${still}
        onScroll=${throttle(follow)}
      >
        ${Array.from(
          { length: blocks },
          (_, i) =>
            html`<${Block}
              key=${i}
              i=${i}
              index=${index}
              doc=${doc}
              metadata=${about.metadata}
              root=${box}
              height=${i === blocks - 1 ? (height * (about.sentences - i * BLOCK)) / BLOCK : height}
              at=${chosen !== null && Math.floor(chosen / BLOCK) === i ? chosen : null}
              word=${word.trim()}
              places=${places}
              marked=${marked}
              choose=${choose}
              settle=${settle}
            />`,
        )}
      </div>
      <${Margin} total=${about.sentences} places=${places} marked=${marked} seen=${seen} leap=${leap} />
    </div>
    <p class="small reader-foot">Sentence ${number(seen + 1)} of ${number(about.sentences)}, ${Math.round((100 * seen) / Math.max(1, about.sentences - 1))}%</p>`;
}

const inView = (line, box) => {
  const a = line.getBoundingClientRect();
  const b = box.getBoundingClientRect();
  return a.top >= b.top && a.bottom <= b.bottom;
};

/** At most once per frame. @param {() => void} act */
function throttle(act) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      act();
    });
  };
}

function Find({ word, setWord, found, doc, seen, leap }) {
  const total = found.answer?.totals[doc] ?? 0;
  const lines = found.answer?.results ?? [];
  const next = (by) => {
    const after =
      by > 0 ? lines.find((one) => one.sentence > seen) : [...lines].reverse().find((one) => one.sentence < seen);
    const to = after ?? (by > 0 ? lines[0] : lines[lines.length - 1]);
    if (to) leap(to.sentence);
  };
  const text = found.problem
    ? found.problem.message
    : !word.trim() || found.busy
      ? ""
      : total
        ? plural(total, "time")
        : "not in this text";
  return html`<div class="find-in">
    <${Typed} type="search" placeholder="Find a word in this text" aria-label="Find a word in this text" value=${word}
      onInput=${setWord} />
    <span class="small" role="status">${text}</span>
    ${
      total > 0 &&
      html`<button type="button" class="quiet" aria-label="Previous place" onClick=${() => next(-1)}>‹</button>
      <button type="button" class="quiet" aria-label="Next place" onClick=${() => next(1)}>›</button>`
    }
  </div>`;
}

/** Where in the whole text something was found; a click goes there. */
function Margin({ total, places, marked, seen, leap }) {
  const go = (event) => {
    const area = event.currentTarget.getBoundingClientRect();
    leap(Math.min(total - 1, Math.floor((total * (event.clientY - area.top)) / area.height)));
  };
  const tick = (sentence, kind) => html`<i class=${kind} style=${{ top: `${(100 * sentence) / total}%` }}></i>`;
  return html`<div class="margin" aria-hidden="true" onClick=${go}
    title="The whole text: marks are places that were found">
    <b style=${{ top: `${(100 * seen) / total}%` }}></b>
    ${[...places].map((one) => tick(one, "place"))} ${[...marked.keys()].map((one) => tick(one, "hit-tick"))}
  </div>`;
}

function Block({ i, index, doc, metadata, root, height, at, word, places, marked, choose, settle }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [near, setNear] = useState(at !== null || i === 0);
  const [kept, setKept] = useState(0); // its height when it was last in view
  useEffect(() => {
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry.isIntersecting && box.current && box.current.childElementCount) setKept(box.current.offsetHeight);
        setNear(entry.isIntersecting);
      },
      { root: root.current, rootMargin: AHEAD },
    );
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const text = useAnswer(
    "text",
    near || at !== null ? { index, document: doc, start: i * BLOCK, count: BLOCK } : null,
  );
  useLayoutEffect(() => {
    if (text.answer) settle();
  }, [text.answer]);
  const rows = near || at !== null ? (text.answer?.results ?? []) : [];
  /** @type {import("./types").ReadSentence[][]} */
  const paragraphs = [];
  for (const row of rows) {
    if (row.paragraph || !paragraphs.length) paragraphs.push([]);
    paragraphs[paragraphs.length - 1].push(row);
  }
  const style = rows.length ? {} : { height: `${kept || height}px` };
  return html`<div class="block" data-block=${i} ref=${box} style=${style}>
    ${text.problem && html`<${Trouble} problem=${text.problem} retry=${text.retry} />`}
    ${paragraphs.map((list) => {
      const here = list.find((row) => row.sentence === at);
      return html`<p key=${list[0].sentence} class=${isVerse(list) ? "verse" : ""}>
          ${list.map(
            (row) =>
              html`<${Sentence} key=${row.sentence} row=${row} isChosen=${row.sentence === at}
                word=${places.has(row.sentence) ? word : ""} highlights=${marked.get(row.sentence)}
                  choose=${choose} />${" "}`,
          )}
        </p>
        ${
          here &&
          html`<${Similar} key=${`similar ${here.id}`} row=${here} index=${index} doc=${doc}
          metadata=${metadata} close=${() => choose(null)} />`
        }`;
    })}
  </div>`;
}

/** Lines that end before the margin are lines of verse; those of prose were only wrapped. */
function isVerse(list) {
  const lines = list.flatMap((row) => row.text.split("\n"));
  return (
    lines.length > 1 &&
    lines.length > list.length &&
    lines.reduce((sum, line) => sum + line.length, 0) / lines.length < 56
  );
}

function Sentence({ row, isChosen, word, highlights, choose }) {
  const kind = `${isChosen ? "chosen" : ""} ${highlights ? "found" : ""} ${word ? "placed" : ""}`;
  const [tints, setTints] = useState(/** @type {Map<string, number> | null} */ (null));
  useEffect(() => {
    if (!isChosen) return setTints(null);
    const listen = (event) => event.detail.id === row.id && setTints(event.detail.words);
    addEventListener("tinted", listen);
    return () => removeEventListener("tinted", listen);
  }, [isChosen]);
  const marks = tints ? tintWords(row.text, tints) : word ? markWord(row.text, word) : null;
  const inside = marks
    ? pieces({ text: row.text, highlights: marks }).map(([piece, mark]) =>
        mark ? html`<mark class=${tints ? `strong w${tints.get(mark.query)}` : "strong w0"}>${piece}</mark>` : piece,
      )
    : row.text;
  const pick = () => {
    if (String(getSelection()).length > 1) return; // somebody copies
    choose(isChosen ? null : row.sentence);
  };
  return html`<span class="s ${kind}" data-s=${row.sentence} onClick=${pick}>${inside}</span>`;
}

/** The places of words of which each has a colour. @param {string} text @param {Map<string, number>} words */
function tintWords(text, words) {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu)]
    .filter((one) => words.has(one[0].toLowerCase()))
    .map((one) => place(text, one.index, one[0]));
}
/** @param {string} text @param {string} word */
function markWord(text, word) {
  const safe = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
  return [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${safe}(?![\\p{L}\\p{N}])`, "giu"))].map((one) =>
    place(text, one.index, one[0]),
  );
}
/** In characters, as the server counts. */
function place(text, at, piece) {
  const start = Array.from(text.slice(0, at)).length;
  return { start, end: start + Array.from(piece).length, query: piece.toLowerCase(), weight: 1 };
}

/** What is similar to a sentence, under it, with the same colours for what corresponds. */
function Similar({ row, index, doc, metadata, close }) {
  const { where } = usePage();
  const [scope, setScope] = useState("all");
  const limits = { all: where, others: [...where, `id!=${doc}`], here: [`id=${doc}`] };
  const options = { index, like: row.id, method: ["best"], k: 6, where: limits[scope] };
  const found = useAnswer("search", options);
  const colourOf = useMemo(colours, [row.id]);
  useEffect(() => {
    if (!found.answer) return;
    const words = new Map();
    for (const hit of found.answer.results)
      for (const passage of hit.passages)
        for (const mark of passage.highlights) if (mark.weight >= 0.3) words.set(mark.query, colourOf(mark.query));
    dispatchEvent(new CustomEvent("tinted", { detail: { id: row.id, words } }));
  }, [found.answer]);
  const source = quotation("", doc, metadata, row.sentence).replace(/^“” \(|\)$/g, "");
  const link = () => `${location.origin}/read?${query({ index, doc, s: row.sentence })}`;
  return html`<aside class="similar" aria-label="Similar passages">
    <div class="spread">
      <h3>Similar passages</h3>
      <div class="tools">
        <button type="button"
          onClick=${() => copy(quotation(row.text, doc, metadata, row.sentence), "Quotation")}>Quote</button>
        <button type="button" onClick=${() => copy(link(), "Link")}>Link</button>
        <button type="button"
          onClick=${() => addPin({ index, title: titleOf(doc, metadata), quotes: [{ text: row.text, source }] })}>Pin</button>
        <a href=${href("search", { q: row.text })}>Search</a>
        <button type="button" aria-label="Close similar passages" onClick=${close}>×</button>
      </div>
    </div>
    <${Choice}
      label="Where"
      hidden
      name="scope"
      value=${scope}
      choices=${[
        ["all", "Everywhere"],
        ["others", "Other texts"],
        ["here", "This text"],
      ]}
      onChange=${setScope}
    />
    <${Outcome} asked=${found}>
      ${(answer) =>
        answer.results.length
          ? html`<ol>
              ${answer.results.map(
                (hit) =>
                  html`<li key=${hit.id}>
                    <p class="text"><${Marked} passage=${hit.passages[0]} colourOf=${colourOf} /></p>
                    <${DocumentLink} id=${hit.document} metadata=${hit.metadata} sentence=${hit.passages[0].sentence}
                      class="small" />
                  </li>`,
              )}
            </ol>`
          : html`<p class="hint">Nothing similar. Try “Everywhere”, or another sentence.</p>`}
    </${Outcome}>
  </aside>`;
}
