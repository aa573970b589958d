// @ts-check
// The documents that are called something.
import { useAnswer } from "./api.js";
import { number, usePage } from "./ui.js";

const MOST = 2000; // documents that the page holds; the server looks among more

/** The documents whose id or metadata has all words of a text, and how many there are: the page may not hold all.
 * @param {string} text @param {string[]} [where] */
export function useDocuments(text, where = []) {
  const { index, about } = usePage();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const longest = [...words].sort((a, b) => b.length - a.length)[0];
  const asked = { index, where, query: (about?.documents ?? 0) > MOST ? longest : null, k: MOST };
  const found = useAnswer("documents", about ? asked : null);
  const all = found.answer?.results ?? [];
  const list = all.filter((one) => {
    const name = `${one.id} ${Object.values(one.metadata).join(" ")}`.toLowerCase();
    return words.every((word) => name.includes(word));
  });
  const rest = (found.answer?.total ?? 0) - all.length;
  const count = rest <= 0 || words.length > 1 ? number(list.length) : number(list.length + rest);
  return { ...found, list, words, count: rest > 0 && words.length > 1 ? `${count} or more` : count };
}
