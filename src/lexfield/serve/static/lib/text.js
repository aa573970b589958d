// @ts-check
// Texts on the page: their names, marks in the colour of the word they answer, quotations.
import { html } from "./ui.js";
import { change } from "./route.js";

/** @typedef {{ start: number, end: number, query: string, weight: number }} Highlight */

const TITLES = ["title", "name", "subject", "headline", "summary"];
const LONG = 200; // letters: more is no title

// Words within titles, in English and in languages that write even more of them small.
const SMALL = new Set(
  (
    "a an and as at but by for from in of on or the to with " +
    "de del des du di da la las le les el los y et e en un une una und der dem den von im"
  ).split(" "),
);

/** The field with the title of a document, if it has one. @param {Record<string, any>} metadata */
export function titleField(metadata) {
  const isTitle = (field) => metadata[field] && String(metadata[field]).length <= LONG;
  const own = new Map(
    Object.keys(metadata)
      .filter(isTitle)
      .map((field) => [field.toLowerCase(), field]),
  );
  return own.get(TITLES.find((one) => own.has(one)) ?? "");
}

const COUNTED = 50; // values of a field that the server counts, the most frequent first
let repeated = /** @type {Set<string> | null} */ (new Set()); // titles of several documents; null: too many to know

/** Learn which titles several documents have. @param {Record<string, Record<string, number>>} fields */
export function learnTitles(fields) {
  const found = Object.entries(fields)
    .filter(([name]) => TITLES.includes(name.toLowerCase()))
    .map(([, counts]) => Object.keys(counts).filter((value) => counts[value] > 1));
  repeated = found.some((values) => values.length >= COUNTED) ? null : new Set(found.flat());
}

/** The name of a document for people: its title, with its id if others are called the same.
 * @param {string} id @param {Record<string, any>} [metadata] */
export function titleOf(id, metadata = {}) {
  const title = ownTitle(id, metadata);
  return titleField(metadata) && (repeated?.has(title) ?? id !== "") ? `${title} · ${id}` : title;
}

/** The title of a document, or its id with spaces and capitals.
 * @param {string} id @param {Record<string, any>} metadata */
function ownTitle(id, metadata) {
  const field = titleField(metadata);
  if (field) return String(metadata[field]);
  const words = id
    .replace(/\.\w{1,5}$/, "")
    .split(/[_\s-]+/)
    .filter(Boolean);
  if (!words.length || /[A-Z]|[a-z]\d|\d[a-z]/.test(id)) return words.join(" ") || id;
  return words.map((word, i) => (i && SMALL.has(word) ? word : word[0].toUpperCase() + word.slice(1))).join(" ");
}

/** A passage in pieces, each with its highlight if it has one. The server counts characters; some have two units here.
 * @param {{ text: string, highlights: Highlight[] }} passage @returns {[string, Highlight | null][]} */
export function pieces({ text, highlights }) {
  const wide = /[\u{10000}-\u{10FFFF}]/u.test(text);
  const units = wide ? Array.from(text) : text;
  const cut = (start, end) =>
    typeof units === "string" ? units.slice(start, end) : units.slice(start, end).join("");
  /** @type {[string, Highlight | null][]} */
  const found = [];
  let end = 0;
  for (const mark of highlights) {
    if (mark.start < end) continue;
    if (mark.start > end) found.push([cut(end, mark.start), null]);
    found.push([cut(mark.start, mark.end), mark]);
    end = mark.end;
  }
  if (end < units.length) found.push([cut(end, units.length), null]);
  return found;
}

/** Colours for words, in the order in which they are met. */
export function colours() {
  const known = new Map();
  return (word) => {
    if (!known.has(word)) known.set(word, known.size % 8);
    return known.get(word);
  };
}

export function Marked({ passage, colourOf }) {
  return pieces(passage).map(([piece, mark]) =>
    mark
      ? html`<mark class="w${colourOf(mark.query)} ${mark.weight >= 0.3 ? "strong" : ""}"
        title=${mark.query ? `for “${mark.query}”` : undefined}
          >${piece}</mark
        >`
      : piece,
  );
}

/** Where a passage is from: author, title, year, and the id that leads back to it.
 * @param {string} id @param {Record<string, any>} metadata @param {number | null} sentence */
export function sourceOf(id, metadata, sentence) {
  const author = String(metadata.author ?? metadata.by ?? "").replace(/^[a-z]/, (one) => one.toUpperCase());
  const known = [author, ownTitle(id, metadata), metadata.year ?? metadata.date].filter(Boolean).join(", ");
  return `${known}; ${id}${sentence === null ? "" : `#${sentence}`}`;
}

/** @param {string} text @param {string} source */
export function quotation(text, source) {
  return `“${single(text.replace(/\s+/g, " ").trim())}” (${source})`;
}

/** A text that is to stand in quotation marks, with single ones inside; without the only one of speech that
 * begins before it or goes on after it. @param {string} text */
export const single = (text) =>
  (text.match(/["“”]/g)?.length === 1 ? text.replace(/^["“]|["”]$/, "") : text)
    .replace(/(^|[\s([—–-])["“]/g, "$1‘")
    .replace(/["“”]/g, "’");

/** Open the reader beside the view. @param {string} doc @param {number | null} [s] */
export const read = (doc, s = null) => change({ doc, s: s === null ? null : String(s), similar: null, find: null });

/** A document that can be opened; `text`: what to call it here, by default its title. */
export function DocumentLink({ id, metadata = {}, text = "", sentence = null, class: name = "" }) {
  const here = new URLSearchParams(location.search);
  here.set("doc", id);
  for (const name of ["s", "similar", "find"]) here.delete(name);
  if (sentence !== null) here.set("s", String(sentence));
  return html`<a class="doc ${name}" href=${`${location.pathname}?${here}`} title=${`Read ${id}`}
    >${text || titleOf(id, metadata)}</a
  >`;
}
