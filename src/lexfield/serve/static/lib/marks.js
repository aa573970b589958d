// @ts-check
// What the current view has found, so that the reader can mark it in its margin.
import { useEffect, useState } from "../vendor/preact-htm.js";

/** @typedef {{ document: string, sentence: number, highlights: any[] }} Mark */

/** @type {Mark[]} */
let marks = [];
const changed = new EventTarget();

/** @param {any[]} hits */
export function setMarks(hits) {
  marks = hits.flatMap((hit) =>
    hit.passages.map((passage) => ({
      document: hit.document,
      sentence: passage.sentence,
      highlights: passage.highlights,
    })),
  );
  changed.dispatchEvent(new Event("change"));
}

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
