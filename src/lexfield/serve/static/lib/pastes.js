// @ts-check
// Pasted texts that are too long for an address stay in this tab under a short name.

const LONG = 2000; // characters
const MARK = "paste:";

/** What stands for a text in the address: itself, or a name for it. @param {string} text */
export function keepPaste(text) {
  if (text.length <= LONG) return text;
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = ((hash << 5) + hash + text.charCodeAt(i)) | 0;
  const name = `${MARK}${text.length}-${(hash >>> 0).toString(36)}`;
  try {
    sessionStorage.setItem(name, text);
    return name;
  } catch {
    return text.slice(0, LONG); // there is no room
  }
}

/** The text that an address stands for; empty if it is of another tab. @param {string} value */
export const recallPaste = (value) => (value.startsWith(MARK) ? (sessionStorage.getItem(value) ?? "") : value);
/** @param {string} value */
export const isKept = (value) => value.startsWith(MARK);
