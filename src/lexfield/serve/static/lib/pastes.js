// @ts-check
// Pasted texts that are too long for an address: the server keeps them under short names.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { Problem, ask, post } from "./api.js";

const LONG = 2000; // characters
const MOST = 5_000_000; // of a text in a request
const MARK = "paste:";
/** @type {Map<string, string>} */
const texts = new Map(); // by name, those that were pasted or read here

/** Does a name stand for the text? @param {string} text */
export const isPaste = (text) => text.startsWith(MARK);

/** What stands for a text in the address: itself, or a name for it. @param {string} text @returns {Promise<string>} */
export async function keepPaste(text) {
  if (text.length <= LONG) return text;
  if (text.length > MOST)
    throw new Problem({
      error: `This text has ${Math.round(text.length / 1e6)} million characters; at most 5 million can be pasted.`,
      hint: "Add it as a collection of its own under Add texts.",
    });
  const name = MARK + (await post("pastes", { text })).id;
  texts.set(name, text);
  return name;
}

/** The text that an address stands for; empty until it is read, and if it is gone. @param {string} value */
export function usePaste(value) {
  const [, show] = useState(0);
  const isUnread = isPaste(value) && !texts.has(value);
  useEffect(() => {
    if (!isUnread) return;
    ask(`/v1/pastes/${encodeURIComponent(value.slice(MARK.length))}`)
      .then((answer) => texts.set(value, answer.text))
      .catch(() => texts.set(value, ""))
      .finally(() => show((count) => count + 1));
  }, [value]);
  return isPaste(value) ? (texts.get(value) ?? "") : value;
}

export const HUGE = 100_000; // characters with which a field would be slow

/** What takes a huge text before it gets into a field. @param {(text: string) => void} take */
export const onLongPaste = (take) => (/** @type {ClipboardEvent} */ event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text.length < HUGE) return;
  event.preventDefault();
  take(text);
};
