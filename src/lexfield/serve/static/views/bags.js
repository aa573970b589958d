// Sums of words: the query language of bags, with every sum shown.
import { get } from "../api.js";
import { field, h, notes, number, problem, say, search, select } from "../dom.js";
import { tools } from "../tools.js";

export const title = "Bags";
const METHODS = [["count", "counts"], ["frequency", "share of the text"], ["bm25", "BM25"], ["lm", "language model"], ["translation", "translation (near words count too)"]];

export async function render(root, state) {
  const given = state.parameters;
  if (!state.about) throw Object.assign(new Error("There is no such index."), { hint: "Choose one above." });
  const form = h("form", { class: "card", role: "search", onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form);
    state.go("bags", search({ index: state.index, q: data.get("q").trim(), method: data.get("method"), k: data.get("k"), unit: data.get("unit") === "sentence" ? "sentence" : null }));
  } }, h("label", { class: "field" }, "Sum of words, with signs for weights", h("input", { name: "q", value: given.get("q") ?? "", placeholder: "3*sea + 2*\"the boat\" - rain", autocomplete: "off", spellcheck: "false", required: true })),
  h("div", { class: "row", style: { marginTop: ".6rem" } }, field("Scored by", select("method", METHODS, given.get("method") ?? "count")), field("Find", select("unit", [["document", "documents"], ["sentence", "sentences"]], given.get("unit"))), field("How many", select("k", [5, 10, 25, 50], given.get("k") ?? 10)), h("button", { type: "submit", class: "main" }, "Add up")),
  h("details", {}, h("summary", {}, "The language"), h("ul", { class: "small" }, [["sea boat", "two words, each once"], ["3*sea + 2*boat", "three times the one and twice the other"], ["\"the open sea\"", "words in this order"], ["sea - 0.5*lake", "a word that counts against"]].map(([query, meaning]) => h("li", {}, h("a", { href: `/bags?${search({ index: state.index, q: query, method: "count", k: 10 })}` }, h("code", {}, query)), ` ${meaning}`)))));
  const result = h("div", {});
  root.append(h("h1", {}, "Bags"), h("p", { class: "lead" }, "A text is a bag of words. Weigh the words you want, and see how each text adds up."), form, result);
  if (!given.get("q")) return;
  const asked = { index: state.index, q: given.get("q"), method: given.get("method") ?? "count", k: given.get("k") ?? 10, unit: given.get("unit") };
  result.append(h("p", { class: "hint" }, "Adding up…"));
  try { draw(result, await get("bags", asked, state.signal), asked); } catch (error) { result.replaceChildren(problem(error)); }
}

function draw(root, told, asked) {
  const top = Math.max(...told.results.map((hit) => Math.abs(hit.score)), 1e-9), digits = asked.method === "count" ? 6 : 3;
  root.replaceChildren(h("section", { class: "card", "aria-label": "Results" }, h("div", { class: "spread" }, h("h2", {}, `${told.results.length} found`), tools("bags", asked, { twin: "bags" })), notes(told.notes),
    told.results.map((hit) => {
      const sums = new Map();
      for (const reason of hit.explanation.reasons) {
        const one = sums.get(reason.query) ?? { value: 0, forms: [] };
        one.value += reason.contribution;
        if (reason.match && reason.match !== reason.query) one.forms.push(reason.match);
        sums.set(reason.query, one);
      }
      const counts = new Map((hit.explanation.counts ?? []).map((text) => { const at = text.lastIndexOf(" "); return [text.slice(0, at), Number(text.slice(at + 1))]; }));
      const terms = [...sums].map(([word, one], i) => [i ? (one.value < 0 ? " − " : " + ") : one.value < 0 ? "− " : "", number(Math.abs(one.value), digits), h("span", { class: "small" }, ` (${counts.has(word) ? `${number(counts.get(word))} × ` : ""}${word}${one.forms.length ? `: ${[...new Set(one.forms)].join(", ")}` : ""})`)]);
      return h("article", { class: "hit sum" }, h("div", { class: "spread" }, h("h3", {}, hit.id), h("span", { class: "score" }, number(hit.score, digits))),
        h("div", { class: "bar", style: { width: `${100 * Math.abs(hit.score) / top}%` } }), h("p", { class: "terms" }, terms, ` = ${number(hit.score, digits)}`),
        h("p", { class: "small" }, hit.passages[0].text.replace(/\s+/g, " ").slice(0, 400), hit.excerpt ? " …" : ""));
    })));
  say(`${told.results.length} found`);
}
