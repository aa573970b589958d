// Sentences that answer a text, with the reasons; methods side by side.
import { get, work } from "../api.js";
import { flows } from "../chart.js";
import { field, h, notes, number, pieces, problem, say, search, select } from "../dom.js";
import { tools } from "../tools.js";

export const title = "Search";
const METHODS = {
  best: "Best", ideas: "Ideas", setcover: "Set cover", mean: "Mean", wmd: "Word mover", jaccard: "Jaccard", edit: "Edit distance", bow: "Bag of words",
  topic: "Topics", count: "Count", frequency: "Frequency", bm25: "BM25", lm: "Language model", translation: "Translation",
};
const HELP = {
  best: "words that occur or are related, and similar meaning", ideas: "varied suggestions that take up your words", setcover: "each sentence covers another part of your text", mean: "most alike meaning", wmd: "least work to move the words",
  jaccard: "most words in common", edit: "fewest letters changed", bow: "most alike counts", topic: "most alike topics",
};
const FIRST = ["best", "ideas", "setcover", "mean", "wmd", "jaccard", "edit", "bow", "topic"];
const BAGS = ["count", "frequency", "bm25", "lm", "translation"]; // whose queries may be sums of words
const SLOW = ["wmd", "edit"], MANY = 1_000_000; // methods that take long on whole documents, of so many words together
const STEP = 5, SHOWN = 12; // hits, reasons

export async function render(root, state) {
  const given = state.parameters, about = state.about;
  if (!about) throw Object.assign(new Error(`There is no index ${given.get("index")}.`), { hint: "Choose one above, or build one under Start." });
  const wanted = given.getAll("method").length ? given.getAll("method") : ["best"];
  const known = FIRST.filter((name) => state.server.methods.includes(name) && (name !== "topic" || about.topics));
  const q = h("textarea", { name: "q", rows: 2, maxlength: 20000, placeholder: "Type a sentence, for instance: The fishing boat came home before the storm.", onkeydown: (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); } } });
  q.value = given.get("q") ?? "";
  const methods = known.concat(wanted.filter((one) => !known.includes(one))).map((name) => h("label", { class: "chip", title: HELP[name] ?? "" }, h("input", { type: "checkbox", name: "method", value: name, checked: wanted.includes(name) }), METHODS[name] ?? name));
  const filters = Object.entries(about.metadata).filter(([, values]) => Object.keys(values).length > 1 && Object.keys(values).length <= 40)
    .map(([name, values]) => field(name, select(`where:${name}`, [["", "any"], ...Object.entries(values).map(([value, count]) => [value, `${value || "(empty)"} (${count})`])], given.getAll("where").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1))));
  const form = h("form", { class: "card", role: "search", onsubmit: (event) => { event.preventDefault(); state.go("search", query(STEP)); } },
    h("label", { class: "field" }, "Your text", q),
    h("div", { class: "row", style: { marginTop: ".7rem" } },
      h("fieldset", {}, h("legend", {}, "Methods, side by side"), h("div", { class: "chips" }, methods)),
      field("Find", select("unit", [["sentence", "sentences"], ["document", "documents"]], given.get("unit") ?? "sentence"))),
    wanted.some((name) => BAGS.includes(name.split("(")[0])) ? h("label", { class: "chip", style: { marginTop: ".5rem" } }, h("input", { type: "checkbox", name: "algebra", checked: given.get("algebra") === "true" }), "My text is a sum of words, as in 3*storm - rain") : null,
    filters.length ? h("details", { open: given.has("where"), style: { marginTop: ".5rem" } }, h("summary", {}, "Filters"), h("div", { class: "row" }, filters)) : null,
    h("div", { class: "row", style: { marginTop: ".8rem" } }, h("button", { class: "main", type: "submit" }, "Search")));

  function query(k, more = {}) {
    const data = new FormData(form);
    const chosen = data.getAll("method");
    const where = [...data].filter(([name, value]) => name.startsWith("where:") && value !== "").map(([name, value]) => `${name.slice(6)}=${value}`);
    return search({ index: state.index, q: data.get("q").trim(), method: chosen.length ? chosen : ["best"], k, unit: data.get("unit") === "document" ? "document" : null, where, algebra: data.has("algebra") ? "true" : null, ...more });
  }

  const results = h("div", {});
  root.append(h("h1", {}, "Search"), h("p", { class: "lead" }, "Find sentences that say something like yours, and see why each was found."), form, results);
  const like = given.get("like");
  if (!given.get("q") && !like) {
    results.append(h("p", { class: "hint" }, `${number(about.documents)} documents, ${number(about.sentences)} sentences. Press / to type, Enter to search.`));
    return;
  }
  const k = Number(given.get("k") ?? STEP);
  const asked = { index: state.index, q: like ? null : given.get("q"), like, method: wanted, k, unit: like ? null : given.get("unit"), where: given.getAll("where"), algebra: !like && given.get("algebra") === "true" ? "true" : null };
  const slow = asked.unit === "document" && about.tokens > MANY && wanted.some((name) => SLOW.includes(name.split("(")[0]));
  results.append(h("p", { class: "hint" }, "Searching…"));
  try {
    const [told, reach] = await Promise.all([slow ? work("search", { ...asked, algebra: asked.algebra === "true" || null }, results, state.signal) : get("search", asked, state.signal), like ? null : get("balls", { index: state.index, q: given.get("q") }, state.signal)]);
    if (told) draw(results, told, reach, { asked, wanted, k, like, go: (text) => state.go("search", text), query });
    else results.replaceChildren(h("p", { class: "hint" }, "Cancelled."));
  } catch (error) { results.replaceChildren(problem(error)); }
}

function draw(root, told, reach, { asked, wanted, k, like, go, query }) {
  const colours = new Map();
  for (const one of reach?.results ?? []) colours.set(one.word, colours.size % 8);
  const colourOf = (word) => { if (!colours.has(word)) colours.set(word, colours.size % 8); return colours.get(word); };
  // The server writes a method in its shortest form; the order is that of the question.
  const named = [...new Set(told.results.map((hit) => hit.method))];
  const label = (method) => named.find((name) => plainly(name) === plainly(method)) ?? named[wanted.indexOf(method)];
  const lists = wanted.map((method) => [method, wanted.length === 1 ? told.results : told.results.filter((hit) => hit.method === label(method))]);
  const columns = lists.map(([method, hits]) => h("section", { class: "card", "aria-label": METHODS[method] ?? method },
    h("div", { class: "spread" }, h("h2", {}, METHODS[method] ?? method), h("span", { class: "small" }, HELP[method] ?? "")),
    hits.length ? hits.map((hit) => card(hit, { colourOf, go, asked })) : h("p", { class: "hint" }, "Nothing was found.")));
  const further = k < 200 && told.results.length >= k, varied = wanted.includes("ideas");
  const more = like ? [] : [
    further && !varied ? h("button", { type: "button", onclick: () => go(query(k + STEP)) }, "Show more") : null,
    further || !varied ? h("button", { type: "button", id: "inspire", onclick: () => go(varied ? query(k + STEP) : query(STEP, { method: ["ideas"] })) }, varied ? "Inspire me: more, and different" : "Inspire me: varied sentences") : null].filter(Boolean);
  root.replaceChildren(
    h("div", { class: "spread" }, h("p", { class: "small", role: "status" }, like ? `More like ${like}` : `${told.results.length} found`), tools("search", asked, { twin: "search" })),
    notes(told.notes),
    h("div", { class: reach && wanted.length === 1 ? "aside" : "" }, h("div", {}, h("div", { class: "columns" }, columns), more.length ? h("p", { class: "row" }, more) : null), reach ? panel(reach, told.results, lists, colourOf) : null));
  if (k > STEP && wanted.length === 1) root.querySelectorAll(".hit")[k - STEP]?.scrollIntoView({ block: "center" });
  say(`${told.results.length} found`);
}

function card(hit, { colourOf, go, asked }) {
  const reasons = [...(hit.explanation?.reasons ?? [])].sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)), flowed = hit.explanation?.flows;
  const marked = ([piece, mark]) => mark ? h("mark", { class: `w${colourOf(mark.query)}${mark.weight >= .3 ? " strong" : ""}`, title: `answers “${mark.query}”` }, piece) : piece;
  const passages = hit.passages.map((passage) => h("p", { class: "text" }, hit.excerpt ? "… " : null, pieces(passage).map(marked), hit.excerpt ? " …" : null));
  const why = h("details", {}, h("summary", {}, flowed ? "Numbers: what was moved where" : "Numbers"));
  why.addEventListener("toggle", () => {
    if (!why.open || why.childElementCount > 1) return;
    if (flowed) {
      const far = new Map(reasons.map((one) => [`${one.query}\n${one.match}`, one.distance]));
      why.append(h("div", { class: "figure" }, flows({ place: why, moved: flowed.map((one) => ({ ...one, distance: far.get(`${one.query}\n${one.match}`) })), colourOf })));
    }
    const named = reasons.filter((one) => !one.query.startsWith("(")).slice(0, SHOWN), rest = reasons.filter((one) => !named.includes(one));
    why.append(h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "your word"), h("th", { scope: "col" }, "answered by"), h("th", { scope: "col", class: "n" }, "adds"))),
      h("tbody", {}, named.map((one) => h("tr", {}, h("td", {}, one.query || "—"), h("td", {}, one.match || "—", one.distance ? h("span", { class: "small" }, ` at ${number(one.distance, 3)}`) : null), h("td", { class: "n" }, number(one.contribution, 3)))),
        rest.length ? h("tr", {}, h("td", { colspan: 2, class: "small" }, "weaker pairs"), h("td", { class: "n" }, number(rest.reduce((sum, one) => sum + one.contribution, 0), 3))) : null)));
    if (hit.explanation.uncovered?.length) why.append(h("p", { class: "small" }, `Not covered so far: ${hit.explanation.uncovered.join(", ")}`));
  });
  const about = Object.entries(hit.metadata).filter(([, value]) => value).slice(0, 4).map(([name, value]) => h("span", { class: "tag", title: name }, value));
  return h("article", { class: "hit", "data-id": hit.id },
    passages,
    hit.words ? h("p", { class: "why", title: "= the same word, ↔ another form of it, ≈ a related word" }, hit.words) : null,
    hit.differs?.length ? h("p", { class: "why differs" }, h("strong", {}, "differs: "), hit.differs.join("; ")) : null,
    h("div", { class: "about" }, h("span", { class: "score", title: "Score" }, number(hit.score, 3)), hit.chance === null ? null : h("span", { title: "How many hits this good are expected if nothing here answers your text" }, `chance ${number(hit.chance, 2)}`), h("span", {}, hit.id), about,
      h("button", { type: "button", class: "quiet", onclick: () => go(search({ index: asked.index, like: hit.id, method: asked.method, k: 5, where: asked.where })) }, "More like this")),
    why);
}

const plainly = (method) => method.replace(/\s/g, "");

function panel(reach, hits, lists, colourOf) {
  const used = new Set(), covered = new Map();
  hits.forEach((hit) => { for (const one of hit.explanation?.reasons ?? []) used.add(`${one.query}\n${one.match}`); });
  const cover = lists.find(([method]) => /^(ideas|setcover)/.test(method))?.[1] ?? [], known = reach.results.filter((one) => one.known);
  cover.forEach((hit) => { for (const one of known) if (!covered.has(one.word) && hit.explanation && !hit.explanation.uncovered?.includes(one.word)) covered.set(one.word, hit.rank); });
  const stateOf = (one) => !one.known ? ["no", "no vector"] : !cover.length ? null : covered.has(one.word) ? ["yes", `✓ covered by ${covered.get(one.word)}`] : ["no", "not covered"];
  const words = reach.results.map((one) => {
    const about = stateOf(one);
    return h("div", { class: "ball" }, about ? h("span", { class: `state ${about[0]}` }, about[1]) : null, h("span", { class: `word strong w${colourOf(one.word)}` }, one.word),
      h("ul", { class: "near" }, one.ball.map((near) => h("li", { class: used.has(`${one.word}\n${near.word}`) ? "used" : null, title: `distance ${number(near.distance, 3)}` }, near.word))));
  });
  const open = known.filter((one) => !covered.has(one.word)).map((one) => one.word), without = reach.results.filter((one) => !one.known).map((one) => one.word);
  const told = [open.length ? `Still uncovered: ${open.join(", ")}.` : known.length ? `Every word${without.length ? " with a vector" : ""} is covered.` : "", without.length ? `Without a vector: ${without.join(", ")}.` : ""].join(" ");
  return h("aside", { class: "card", "aria-label": "What your words reach" }, h("h2", {}, "What your words reach"),
    h("p", { class: "small" }, "The nearest words of the index; those that hits use are bold."),
    cover.length || without.length ? h("p", { class: "small" }, told) : null,
    words.length ? h("div", { class: "columns" }, words) : h("p", { class: "hint" }, "No words to look for."));
}
