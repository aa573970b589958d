// Two texts: how different, how sure, which words; a whole collection; and whose text this is.
import { get, post, send, work } from "../api.js";
import { bars, figure } from "../chart.js";
import { field, h, notes, number, problem, say, search, select, table } from "../dom.js";
import { tools } from "../tools.js";
import { heat } from "../heat.js";
import { PointMap } from "../pointmap.js";

export const title = "Compare";
const MEASURES = [["kl", "Kullback–Leibler"], ["js", "Jensen–Shannon"], ["hellinger", "Hellinger"], ["renyi", "Rényi"]];
const SPACES = [["categorical", "counts of words"], ["latent", "clouds of word vectors"]];

export async function render(root, state) {
  const given = state.parameters;
  if (!state.about) throw Object.assign(new Error("There is no such index."), { hint: "Choose one above." });
  const documents = (await get("documents", { index: state.index }, state.signal)).results;
  root.append(h("h1", {}, "Compare"), h("p", { class: "lead" }, "How different two texts are, how sure that is, and the words that say so."));
  pair(root, state, given, documents);
  collection(root, state, documents);
  label(root, state);
}

function side(name, given, list) {
  const pasted = given.has(`text_${name}`);
  const pick = h("input", { name, list, value: given.get(name) ?? "", placeholder: "a document of the index", autocomplete: "off", "aria-label": `Text ${name.toUpperCase()}: document` });
  const text = h("textarea", { name: `text_${name}`, rows: 5, placeholder: "paste a text", "aria-label": `Text ${name.toUpperCase()}: your own` });
  text.value = given.get(`text_${name}`) ?? "";
  const choose = (own) => { pick.hidden = own; text.hidden = !own; };
  const tabs = h("div", { class: "tabs", role: "radiogroup", "aria-label": `Where text ${name.toUpperCase()} comes from` }, [["document", "Document", !pasted], ["paste", "Paste", pasted]].map(([value, shown, checked]) =>
    h("label", {}, h("input", { type: "radio", name: `from_${name}`, value, checked, onchange: () => choose(value === "paste") }), shown)));
  choose(pasted);
  return h("div", {}, h("h3", {}, `Text ${name.toUpperCase()}`), tabs, pick, text);
}

function pair(root, state, given, documents) {
  const list = h("datalist", { id: "documents" }, documents.map((one) => h("option", { value: one.id }, Object.values(one.metadata).join(" · "))));
  const form = h("form", { class: "card", onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form), wanted = { index: state.index };
    for (const name of ["a", "b"]) {
      if (data.get(`from_${name}`) === "paste") wanted[`text_${name}`] = data.get(`text_${name}`); else wanted[name] = data.get(name).trim();
    }
    for (const name of ["measure", "space", "stopwords"]) wanted[name] = data.get(name);
    if (data.has("interval")) wanted.interval = "0.95";
    const query = search(wanted);
    if (query.length < 8000) state.go("compare", query);
    else { say("This text is too long for a link."); run(wanted); }
  } }, list, h("div", { class: "two" }, side("a", given, "documents"), side("b", given, "documents")),
  h("div", { class: "row", style: { marginTop: ".8rem" } },
    field("Texts as", select("space", SPACES, given.get("space"))), field("Measure", select("measure", MEASURES, given.get("measure"))),
    field("Stopwords", select("stopwords", [["", "keep"], ["en", "leave out English ones"]], given.get("stopwords"))),
    h("label", { class: "chip" }, h("input", { type: "checkbox", name: "interval", checked: given.has("interval") }), "with a 95% interval"),
    h("button", { class: "main", type: "submit" }, "Compare")));
  const result = h("div", {});
  root.append(form, result);
  async function run(wanted) {
    const slow = wanted.space === "latent" || wanted.interval;
    result.replaceChildren(h("p", { class: "hint" }, "Comparing…"));
    try {
      const options = { ...wanted, interval: wanted.interval ? Number(wanted.interval) : null };
      const told = slow ? await work("compare", options, result, state.signal) : await send("compare", wanted, state.signal);
      if (told) outcome(result, told, wanted, state); else result.replaceChildren();
    } catch (error) { result.replaceChildren(problem(error)); }
  }
  const ready = ["a", "b"].every((name) => given.get(name) || given.get(`text_${name}`));
  if (ready) run(Object.fromEntries(given));
  else if (documents.length > 1) result.append(h("p", { class: "hint" }, "For instance: ", h("a", { href: `/compare?${search({ index: state.index, a: documents[0].id, b: documents[1].id, interval: "0.95" })}` }, `${documents[0].id} and ${documents[1].id}`)));
}

function outcome(root, told, wanted, state) {
  const one = told.results[0], words = one.explanation.reasons.filter((reason) => !reason.query.startsWith("("));
  const reasons = words.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)).slice(0, 20);
  const rates = one.explanation.per_thousand;
  const context = h("div", { id: "context" });
  const rows = reasons.map((reason) => ({ label: reason.query, value: reason.contribution, note: rates ? `${number(rates[reason.query][0], 3)} of 1,000 words in A, ${number(rates[reason.query][1], 3)} in B` : reason.match && reason.match !== reason.query ? `near: ${reason.match}` : "" }));
  const card = h("section", { class: "card", "aria-label": "How different" });
  root.replaceChildren(card, context);
  card.append(
    h("div", { class: "spread" }, h("h2", {}, `${one.a} from ${one.b}`), tools("compare", wanted, { twin: "compare" })),
    h("div", { class: "row middle" }, h("span", { class: "value" }, number(one.value, 4)), h("span", {}, `${one.unit} · ${MEASURES.find(([key]) => key === one.measure)[1]}, ${SPACES.find(([key]) => key === one.space)[1]}`),
      one.interval ? h("span", {}, `95% interval ${number(one.interval[0], 4)} to ${number(one.interval[1], 4)}`) : null),
    h("p", { class: "small" }, `${number(one.n)} words against ${number(one.m)}. 0 means the same; only the order of such numbers means anything between kinds of text.`),
    notes(told.notes),
    figure("The words that say so: how much each adds. Click one to see it in context.", "words", bars({ place: card, label: `Words and what they add: ${rows.slice(0, 5).map((row) => row.label).join(", ")} and others`, rows, unit: one.unit, onrow: (row) => contexts(context, row.label, wanted, state) })));
  say(`${number(one.value, 4)} ${one.unit}`);
}

const PLACES = [40, 200, 1000]; // of a word in a text: at first, and if more are wanted

async function contexts(root, word, wanted, state, k = PLACES[0]) {
  root.replaceChildren(h("p", { class: "hint" }, "Looking…"));
  const asked = { word: [word], k, window: 7 };
  if (wanted.text_a) asked.text_a = wanted.text_a;
  if (wanted.text_b) asked.text_b = wanted.text_b;
  const ids = [wanted.text_a ? null : wanted.a, wanted.text_b ? null : wanted.b].filter(Boolean);
  if (ids.length) Object.assign(asked, { index: wanted.index, document: [...new Set(ids)] });
  try {
    const told = await post("kwic", asked, state.signal), more = PLACES.find((one) => one > k);
    const columns = [["sentence", (line) => line.sentence + 1, true], ["before", (line) => h("bdi", {}, line.left)], ["word", (line) => line.match], ["after", (line) => line.right]];
    const half = (id) => {
      const lines = told.results.filter((line) => line.document === id), total = told.totals[id];
      const caption = lines.length < total ? `The first ${number(lines.length)} of ${number(total)} places` : total === 1 ? "1 place" : `${number(total)} places`;
      return h("section", { class: "card kwic", "aria-label": `“${word}” in ${id}` }, h("h3", {}, `“${word}” in ${id}`), total ? table(columns, lines, caption) : h("p", { class: "hint" }, "Not there."),
        lines.length < total && more ? h("button", { type: "button", onclick: () => contexts(root, word, wanted, state, more) }, `Show up to ${number(more)}`) : null);
    };
    const sides = [wanted.text_a ? "text A" : wanted.a, wanted.text_b ? "text B" : wanted.b];
    root.replaceChildren(h("div", {}, notes(told.notes), [...new Set(sides)].map(half)));
    root.scrollIntoView({ behavior: "smooth", block: "nearest" });
    say(`“${word}” in context: ${sides.map((id) => `${number(told.totals[id])} in ${id}`).join(", ")}`);
  } catch (error) { root.replaceChildren(problem(error)); }
}

function collection(root, state, documents) {
  const place = h("div", {}), fields = Object.keys(state.about.metadata);
  const form = h("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    const data = new FormData(form), options = { index: state.index, measure: data.get("measure"), space: data.get("space") };
    try {
      const map = await work("map", options, place, state.signal);
      const pairs = map && await work("pairs", options, place, state.signal);
      if (pairs) drawn(place, map, pairs, data.get("by"), options, state);
    } catch (error) { place.replaceChildren(problem(error)); }
  } }, field("Texts as", select("space", SPACES)), field("Measure", select("measure", MEASURES, "hellinger")),
  fields.length ? field("Coloured by", select("by", fields, fields.includes("author") ? "author" : fields[0])) : null,
  h("button", { type: "submit", class: "main" }, "Compare all"));
  root.append(h("section", { class: "card", "aria-label": "The whole collection" }, h("h2", {}, "The whole collection"),
    h("p", { class: "small" }, `Every pair of the ${number(documents.length)} documents: a map where near means alike, and the matrix.`), form, place));
}

function drawn(root, map, pairs, by, options, state) {
  const order = [...map.results].sort((a, b) => a.order - b.order).map((one) => one.id), at = new Map(order.map((id, i) => [id, i]));
  const matrix = order.map(() => new Array(order.length).fill(null));
  for (const one of pairs.results) matrix[at.get(one.a)][at.get(one.b)] = one.value;
  const points = map.results.map((one) => ({ x: one.x, y: one.y, name: one.id, group: by ? one.metadata[by] ?? "" : undefined, detail: Object.values(one.metadata).join(" · ") }));
  const go = (a, b) => { state.go("compare", search({ index: options.index, a, b, measure: options.measure, space: options.space })); scrollTo(0, 0); };
  const view = new PointMap(points, { label: `Map of ${points.length} documents`, name: "documents", labels: 80 });
  const place = h("div", {});
  root.replaceChildren(h("div", { class: "spread" }, h("h3", {}, map.title), tools("pairs", options)), notes(map.notes), view.element(), place);
  place.append(heat(place, order, (i, j) => matrix[i][j], { label: "How far each row is from each column", name: "matrix", onpair: go }));
  say("The map and the matrix are drawn.");
}

function label(root, state) {
  const fields = Object.entries(state.about.metadata).filter(([, values]) => { const n = Object.keys(values).length; return n > 1 && n < state.about.documents; }).map(([name]) => name);
  if (!fields.length) return;
  const place = h("div", {}), text = h("textarea", { name: "text", rows: 5, required: true, placeholder: "Paste a text of at least a few sentences." });
  const form = h("form", { onsubmit: async (event) => {
    event.preventDefault();
    const data = new FormData(form);
    place.replaceChildren(h("p", { class: "hint" }, "Comparing with every document…"));
    try {
      const told = await post("label", { index: state.index, by: data.get("by"), rule: data.get("rule"), measure: "hellinger", text: data.get("text") }, state.signal);
      const found = told.evidence, most = told.results.slice(0, 8);
      const box = h("div", {});
      place.replaceChildren(box);
      box.append(h("p", {}, "Most like ", h("strong", { id: "guess" }, told.predicted), `, rather than ${found.rather_than}.`),
        figure(`How far from each ${told.by}`, "labels", bars({ place: box, label: `Distance from each ${told.by}`, rows: most.map((one) => ({ label: one.label || "(empty)", value: one.divergence })) })),
        h("div", { class: "two" }, table([["document", (one) => one.id], [told.by, (one) => one.label], ["distance", (one) => one.divergence, true]], found.nearest, "Nearest documents"),
          table([["word", (one) => one.word], ["speaks for it by", (one) => one.part, true]], found.words.filter((one) => one.part > 0), `Words for ${found.predicted}`)), notes(told.notes));
      say(`Most like ${told.predicted}`);
    } catch (error) { place.replaceChildren(problem(error)); }
  } }, h("label", { class: "field" }, "Your text", text), h("div", { class: "row", style: { marginTop: ".6rem" } }, field("Guess its", select("by", fields, fields.includes("author") ? "author" : fields[0])),
    field("By", select("rule", [["nearest", "the nearest document"], ["category", "the nearest on average"], ["vote", "the vote of the nearest"]])), h("button", { type: "submit", class: "main" }, "Guess")));
  root.append(h("section", { class: "card", "aria-label": "Whose text is it" }, h("h2", {}, "Whose text is it?"), form, place));
}
