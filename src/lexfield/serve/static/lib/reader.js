// @ts-check
// A text of any length to read: only what is in view is loaded. A click on a sentence shows what is similar elsewhere.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "./api.js";
import { colourOfMark, useMarks } from "./marks.js";
import { change, href, lastView } from "./route.js";
import { Similar } from "./similar.js";
import { pieces, titleField, titleOf } from "./text.js";
import { Outcome, Trouble, Typed, html, number, plain, plural, say, usePage } from "./ui.js";

const BLOCK = 100; // sentences that are loaded at a time
const AHEAD = "1200px"; // how far beyond the edges of the view
const LINE = 28; // pixels
const LETTER = 8.3;
const SETTLING = 1500; // milliseconds after a jump in which blocks that arrive may move the text
const MOST = 10_000; // places of a word that are marked

export function Reader({ alone = false }) {
  const { index, params } = usePage();
  const doc = params.get("doc") ?? "";
  const asked = /^\d{1,9}$/.test(params.get("s") ?? "") ? Number(params.get("s")) : null;
  const start = BLOCK * Math.floor((asked ?? 0) / BLOCK);
  const first = useAnswer("text", doc ? { index, document: doc, start, count: BLOCK } : null);
  const about = first.answer && first.answer.document === doc ? first.answer : null;
  const chosen = asked === null || !about ? asked : Math.min(asked, about.sentences - 1);
  const from = useRef(/** @type {HTMLElement | null} */ (null)); // what opened the text, for the keyboard
  useEffect(() => {
    const now = document.activeElement;
    if (alone || !(now instanceof HTMLElement) || !now.matches("a, button")) return;
    from.current = now;
    const pages = now.matches(":focus-visible") && about && document.querySelector(".reader .pages");
    if (pages instanceof HTMLElement) pages.focus({ preventScroll: true });
  }, [about?.document]);
  const close = () => {
    change({ doc: null, s: null, similar: null, find: null });
    const back = from.current?.isConnected ? from.current : document.getElementById("main");
    back?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (alone) return;
    const leave = (event) =>
      event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]") && close();
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, [alone]);
  const title = titleOf(doc, about?.metadata);
  useEffect(() => void (about && say(`${title} is open${alone ? "" : " beside the view"}.`)), [about?.document]);
  const problem = first.problem?.status === 404 ? { message: `There is no text ${doc} here.` } : first.problem;
  if (!doc) return html`<${Empty} />`;
  return html`<aside class="reader ${alone ? "alone" : ""}" aria-label="Reader">
    <header>
      <div class="spread">
        ${alone ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}
        <div class="tools">
          ${
            alone
              ? html`<a href=${href(lastView())}>Back to ${lastView()}</a>`
              : html`<a href=${href("read", Object.fromEntries(OWN.map((name) => [name, params.get(name)])))}
                title="Read with the whole window">Enlarge</a>
                <button type="button" aria-label="Close the reader" onClick=${close}>Close</button>`
          }
        </div>
      </div>
      ${
        about &&
        html`<p class="small about-text">
        ${Object.entries(about.metadata)
          .filter(([name, value]) => value && name !== titleField(about.metadata))
          .map(
            ([name, value]) => html`<span class="tag" title=${name}>
              ${isNaN(Number(value)) ? value : `${name} ${plain(Number(value))}`}
            </span> `,
          )}
        ${plural(about.sentences, "sentence")}
      </p>`
      }
    </header>
    ${
      problem &&
      html`<${Trouble} problem=${problem} />
        <p class="choose-text"><a href=${href("read", {})}>Choose another text</a></p>`
    }
    ${about && html`<${Text} key=${doc} index=${index} doc=${doc} about=${about} chosen=${chosen} />`}
  </aside>`;
}

const OWN = ["doc", "s", "similar", "find"]; // what of an address is the reader's

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
  const word = usePage().params.get("find") ?? "";
  const setWord = (text) => change({ find: text }, { typed: "find" });
  const found = useAnswer(
    "kwic",
    word.trim() ? { index, document: [doc], word: [word.trim()], k: MOST, window: 0 } : null,
  );
  const hits = useMarks(doc);
  const places = useMemo(() => new Set(found.answer?.results.map((one) => one.sentence)), [found.answer]);
  const marked = useMemo(() => new Map(hits.map((one) => [one.sentence, one])), [hits.length, hits[0]?.sentence]);
  const [seen, setSeen] = useState(chosen ?? 0);
  const jump = useRef({ to: chosen, at: Date.now() });
  const blocks = Math.ceil(about.sentences / BLOCK);
  const [drawn, setDrawn] = useState(false); // then the width is known
  useLayoutEffect(() => setDrawn(true), []);
  const width = box.current?.clientWidth ?? 440;
  const height = Math.max(
    200,
    (((about.characters / about.sentences) * BLOCK * LETTER) / (width - 60)) * LINE * 1.15,
  );
  const leap = (sentence) => {
    jump.current = { to: sentence, at: Date.now() };
    settle();
    setSeen(sentence);
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
  const arrive = () => {
    settle();
    follow();
  };
  useLayoutEffect(() => {
    if (chosen !== null && chosen !== jump.current.to) jump.current = { to: chosen, at: Date.now() };
    else if (chosen !== null) jump.current.at = Date.now();
    if (chosen !== null) setSeen(chosen);
    const line = box.current?.querySelector(`[data-s="${chosen}"]`);
    if (line && inView(line, box.current)) return; // it was clicked: nothing moves
    settle();
  }, [chosen, drawn]);
  const still = () => (jump.current.to = null); // somebody scrolls by hand
  const key = (event) => {
    still();
    const to = { Home: 0, End: about.sentences - 1 }[event.key];
    if (to === undefined || event.target !== box.current) return;
    event.preventDefault();
    leap(to);
  };
  const follow = () => {
    const aim = jump.current.to === null ? null : box.current?.querySelector(`[data-s="${jump.current.to}"]`);
    if (Date.now() - jump.current.at < SETTLING || (aim && inView(aim, box.current))) return; // the place is known
    const top = (box.current?.getBoundingClientRect().top ?? 0) + 60;
    const line = [...(box.current?.querySelectorAll("[data-s]") ?? [])].find(
      (one) => one.getBoundingClientRect().bottom > top,
    );
    if (line instanceof HTMLElement) setSeen(Number(line.dataset.s));
  };
  const choose = (sentence, replace = false) =>
    change(
      { s: sentence === null ? null : String(sentence), similar: sentence === null ? null : "true" },
      { replace },
    );
  const step = (by) => {
    const next = chosen === null ? seen : Math.max(0, Math.min(about.sentences - 1, chosen + by));
    jump.current = { to: next, at: Date.now() };
    choose(next, chosen !== null);
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
      <div class="pages"
        ref=${box} tabindex="0" role="region"
        aria-label=${`Text of ${titleOf(doc, about.metadata)}`}
        onWheel=${still} onTouchMove=${still} onKeyDown=${key} onScroll=${throttle(follow)}
      >
        ${Array.from(
          { length: blocks },
          (_, i) =>
            html`<${Block} key=${i} i=${i} index=${index} doc=${doc} metadata=${about.metadata} root=${box}
              height=${i === blocks - 1 ? (height * (about.sentences - i * BLOCK)) / BLOCK : height}
              at=${chosen !== null && Math.floor(chosen / BLOCK) === i ? chosen : null} word=${word.trim()}
              places=${places} marked=${marked} choose=${choose} arrive=${arrive} />`,
        )}
      </div>
      <${Margin} total=${about.sentences} places=${places} marked=${marked} seen=${seen} leap=${leap} />
    </div>
    <p class="small reader-foot">
      Sentence ${number(seen + 1)} of ${number(about.sentences)},
      ${" "}${Math.round((100 * seen) / Math.max(1, about.sentences - 1))}%
    </p>`;
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

function Block({ i, index, doc, metadata, root, height, at, word, places, marked, choose, arrive }) {
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
    if (text.answer) arrive();
  }, [text.answer]);
  const rows = near || at !== null ? (text.answer?.results ?? []) : [];
  /** @type {import("./types").ReadSentence[][]} */
  const paragraphs = [];
  for (const row of rows) {
    const isNext = at !== null && row.sentence === at + 1 && isOpen(); // similar passages stand before it
    if (row.paragraph || !paragraphs.length || isNext) paragraphs.push([]);
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
                word=${places.has(row.sentence) ? word : ""} hit=${marked.get(row.sentence)}
                  choose=${choose} />${" "}`,
          )}
        </p>
        ${
          here &&
          isOpen() &&
          html`<${Similar} key=${`similar ${here.id}`} row=${here} index=${index} doc=${doc}
          metadata=${metadata} close=${() => choose(null)} />`
        }`;
    })}
  </div>`;
}

const VERSE = 56; // letters
/** Lines of verse are short; those of prose were only wrapped. @param {import("./types").ReadSentence[]} list */
function isVerse(list) {
  const lines = list
    .map((row) => row.text)
    .join(" ")
    .split("\n")
    .slice(0, -1)
    .map((line) => line.length)
    .sort((x, y) => x - y);
  return lines.length > 1 && lines[Math.floor(lines.length / 2)] < VERSE;
}

/** Are similar passages shown? */
const isOpen = () => new URLSearchParams(location.search).has("similar");

function Sentence({ row, isChosen, word, hit, choose }) {
  const kind = `${isChosen ? "chosen" : ""} ${hit ? "found" : ""} ${word ? "placed" : ""}`;
  const [tints, setTints] = useState(/** @type {Map<string, number> | null} */ (null));
  useEffect(() => {
    if (!isChosen || !isOpen()) return setTints(null);
    const listen = (event) => event.detail.id === row.id && setTints(event.detail.words);
    addEventListener("tinted", listen);
    return () => removeEventListener("tinted", listen);
  }, [isChosen, isOpen()]);
  const own = hit?.text === row.text ? hit.highlights : null;
  const marks = tints ? tintWords(row.text, tints) : word ? markWord(row.text, word) : own;
  const tint = (query) => (tints ? tints.get(query) : word ? 0 : colourOfMark(query));
  const inside = marks
    ? pieces({ text: row.text, highlights: marks }).map(([piece, mark]) =>
        mark
          ? html`<mark class=${`w${tint(mark.query)} ${mark.weight >= 0.3 ? "strong" : ""}`}>${piece}</mark>`
          : piece,
      )
    : row.text;
  const pick = () => {
    if (String(getSelection()).length > 1) return; // somebody copies
    choose(isChosen && isOpen() ? null : row.sentence);
  };
  return html`<span class="s ${kind}" data-s=${row.sentence} onClick=${pick}>${inside}</span>`;
}

/** The places of words of which each has a colour. @param {string} text @param {Map<string, number>} words */
function tintWords(text, words) {
  const spaced = [...text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu)]
    .filter((one) => words.has(one[0].toLowerCase()) && !UNSPACED.test(one[0]))
    .map((one) => place(text, one.index, one[0]));
  const unspaced = [...words.keys()].filter((word) => UNSPACED.test(word)).flatMap((word) => markWord(text, word));
  return [...spaced, ...unspaced].sort((a, b) => a.start - b.start);
}
// words stand in runs of letters
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** @param {string} text @param {string} word */
function markWord(text, word) {
  const safe = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
  const whole = UNSPACED.test(word) ? safe : `(?<![\\p{L}\\p{N}])${safe}(?![\\p{L}\\p{N}])`;
  return [...text.matchAll(new RegExp(whole, "giu"))].map((one) => place(text, one.index, one[0]));
}
/** In characters, as the server counts. */
function place(text, at, piece) {
  const start = Array.from(text.slice(0, at)).length;
  return { start, end: start + Array.from(piece).length, query: piece.toLowerCase(), weight: 1 };
}
