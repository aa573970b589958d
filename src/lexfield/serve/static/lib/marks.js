// @ts-check
// What the current view has found, so that the reader can mark it in its margin, in the same colours.
import { useEffect, useState } from "../vendor/preact-htm.js";

/** @typedef {{ document: string, sentence: number, text: string, highlights: any[] }} Mark */

/** @type {Mark[]} */
let marks = [];
/** @type {(word: string) => number} */
let colourOf = () => 0;
const changed = new EventTarget();

/** @param {any[]} hits @param {(word: string) => number} colours of the words that they answer */
export function setMarks(hits, colours = () => 0) {
  colourOf = colours;
  marks = hits.flatMap((hit) =>
    hit.passages.map(({ sentence, text, highlights }) => ({ document: hit.document, sentence, text, highlights })),
  );
  changed.dispatchEvent(new Event("change"));
}

/** @param {string} word */
export const colourOfMark = (word) => colourOf(word);

/** @param {string} document @returns {Mark[]} */
export function useMarks(document) {
  const [, set] = useState(0);
  useEffect(() => {
    const listen = () => set((n) => n + 1);
    changed.addEventListener("change", listen);
    return () => changed.removeEventListener("change", listen);
  }, []);
  return marks.filter((one) => one.document === document);
}
