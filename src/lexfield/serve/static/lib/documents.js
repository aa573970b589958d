// @ts-check
// The documents that are called something, and choosing one of them.
import { useMemo, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "./api.js";
import { anyOf } from "./filter.js";
import { titleOf } from "./text.js";
import { Select, html, number, usePage } from "./ui.js";

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

const NONE = [];

/** What is known about the documents that the page holds, and about some others. @param {string[]} ids */
export function useMetadata(ids) {
  const { index } = usePage();
  const held = useAnswer("documents", { index, k: MOST }).answer?.results ?? NONE;
  const rest = held.length < MOST ? [] : ids.filter((id) => id && !held.some((one) => one.id === id));
  const others = useAnswer("documents", rest.length ? { index, where: [anyOf("id", rest)] } : null).answer?.results;
  return useMemo(
    () => Object.fromEntries([...held, ...(others ?? NONE)].map((one) => [one.id, one.metadata])),
    [held, others],
  );
}

const SEVERAL = 100; // documents from which on they are easier to name than to look up in a list

/** A list of the documents that pass the filter; if it is long, a field narrows it down. What is chosen stays in it.
 * @param {{ label: string, value: string, metadata: Record<string, any>, onChange: (id: string) => void }} choice */
export function DocumentSelect({ label, value, metadata, onChange }) {
  const { where, about } = usePage();
  const [text, setText] = useState("");
  const { list, busy, count } = useDocuments(text, where);
  const isListed = !value || list.some((one) => one.id === value);
  const choices = list.map((one) => [one.id, titleOf(one.id, one.metadata)]);
  const found = list.length ? `Choose one of ${count}` : "No text is called this";
  const hint = !text ? "Choose a text" : busy ? "Looking…" : found;
  return html`${
    about.documents > SEVERAL &&
    html`<input type="search" autocomplete="off" aria-label=${`Find ${label}`} placeholder="Find a text"
      value=${text} onInput=${(event) => setText(event.target.value)} />`
  }
    <${Select} label=${label} hidden value=${value} onChange=${onChange}
      choices=${[["", hint], ...(isListed ? [] : [[value, titleOf(value, metadata[value])]]), ...choices]} />`;
}
