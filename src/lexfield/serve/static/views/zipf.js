// Counts by rank, of words or of clusters of sentences; clusters with examples; the word map.
import { get, work } from "../api.js";
import { figure, plot } from "../chart.js";
import { field, h, notes, number, percent, problem, say, search, select, table } from "../dom.js";
import { tools } from "../tools.js";
import { PointMap } from "../pointmap.js";

export const title = "Zipf";
const MANY = 1_000_000; // tokens above which even words are a job
const SETTLE = 400; // milliseconds without another step of the slider

export async function render(root, state) {
  const given = state.parameters, about = state.about;
  if (!about) throw Object.assign(new Error("There is no such index."), { hint: "Choose one above." });
  const latent = given.get("latent") === "true", k = Number(given.get("k") ?? Math.min(75, Math.max(10, Math.round(about.sentences / 60))));
  const most = Math.max(20, Math.min(300, Math.floor(about.sentences / 5)));
  let settling;
  const shown = h("output", { for: "k" }, String(k));
  const slider = h("input", { type: "range", id: "k", name: "k", min: 10, max: most, value: k, oninput: () => { shown.textContent = slider.value; }, onchange: () => { clearTimeout(settling); settling = setTimeout(() => { if (!state.signal.aborted) form.requestSubmit(); }, SETTLE); } });
  slider.value = k;
  const form = h("form", { class: "card", onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form), own = data.get("what") === "clusters";
    state.go("zipf", search({ index: state.index, latent: own ? "true" : null, k: own ? data.get("k") ?? k : null, ngram: own || data.get("ngram") === "1" ? null : data.get("ngram"), seeds: own ? 1 : null, nulls: own && !data.has("nulls") ? "false" : null }));
  } }, h("div", { class: "row" },
    h("div", { class: "tabs", role: "radiogroup", "aria-label": "What is ranked" }, [["words", "Words", !latent], ["clusters", "Clusters of sentences", latent]].map(([value, text, checked]) => h("label", {}, h("input", { type: "radio", name: "what", value, checked, onchange: () => form.requestSubmit() }), text))),
    latent ? h("label", { class: "field grow" }, h("span", {}, "Number of clusters: ", shown), slider) : field("Words of an n-gram", select("ngram", [1, 2, 3], given.get("ngram") ?? 1)),
    latent ? h("label", { class: "chip" }, h("input", { type: "checkbox", name: "nulls", checked: latent && given.get("nulls") !== "false" }), "null models") : null,
    h("button", { class: "main", type: "submit" }, "Rank")));
  const result = h("div", {});
  root.append(h("h1", {}, "Zipf"), h("p", { class: "lead" }, "How often each word occurs, or how many sentences each cluster holds, by rank; and whether that is a law."), form, result);
  words(root, state);
  const asked = { index: state.index, ngram: given.get("ngram"), ...(latent ? { latent: "true", k, seeds: given.get("seeds") ?? 1, nulls: given.get("nulls") } : {}) };
  try {
    const typed = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, ["k", "seeds", "ngram"].includes(name) && value ? Number(value) : value === "true" ? true : value === "false" ? false : value]));
    result.append(h("p", { class: "hint" }, "Counting…"));
    const told = latent || about.tokens > MANY ? await work("zipf", typed, result, state.signal) : await get("zipf", asked, state.signal);
    if (told) ranks(result, { ...told.results[0], notes: told.notes }, asked); else result.replaceChildren(h("p", { class: "hint" }, "Cancelled."));
  } catch (error) { result.replaceChildren(problem(error)); }
}

function ranks(root, told, asked) {
  const clusters = told.space === "latent", points = told.points, last = points[points.length - 1];
  const card = h("section", { class: "card", "aria-label": "Counts by rank" });
  const list = h("div", {});
  root.replaceChildren(card, list);
  const svg = plot({ place: card, label: `Counts by rank: slope ${number(told.slope, 3)}`, x: { label: clusters ? "rank of the cluster" : `rank of the ${told.unit}`, log: true, low: .9, high: last.rank * 1.1 }, y: { label: clusters ? "sentences in it" : "count", log: true, low: Math.max(.7, last.count * .8), high: points[0].count * 1.6 },
    points: points.map((one) => ({ x: one.rank, y: one.count, name: `${one.rank}. ${one.label}: ${number(one.count)}`, rank: one.rank })),
    lines: told.curves.map((curve, i) => ({ name: curve.name, x: curve.rank, y: curve.count, dash: i > 0 })),
    onpoint: clusters ? (point) => { const one = document.getElementById(`cluster-${point.rank}`); if (one) { one.open = true; one.scrollIntoView({ block: "center" }); } } : null });
  card.append(h("div", { class: "spread" }, h("h2", {}, `Slope ${number(told.slope, 3)}, R² ${number(told.r2, 3)}`), tools("zipf", asked, { twin: "zipf" })), h("p", {}, told.verdict), figure(`${number(told.figures.tokens)} words, ${number(told.figures.types)} different`, "ranks", svg), notes(told.notes),
    h("details", {}, h("summary", {}, "All fits"), table([["fit", (fit) => fit.name.replaceAll("_", " ")], ["parameters", (fit) => Object.entries(fit.parameters).map(([name, value]) => `${name} ${number(value, 4)}`).join(", ")], ["R²", (fit) => fit.r2, true], ["distance", (fit) => fit.distance, true], ["p", (fit) => fit.p, true]], Object.values(told.fits), "Laws fitted to these counts")),
    told.nulls.length ? table([["null model", (one) => one.model], ["slope", (one) => one.slope, true], ["R²", (one) => one.r2, true], ["text minus model", (one) => one.difference, true], ["p", (one) => one.p, true]], told.nulls, "Beside texts without meaning") : "",
    clusters ? "" : h("details", {}, h("summary", {}, "The most frequent"), table([["rank", (one) => one.rank, true], [told.unit, (one) => one.label], ["count", (one) => one.count, true]], told.ranks, "The most frequent")));
  if (clusters) list.append(h("section", { class: "card", "aria-label": "Clusters" }, h("div", { class: "spread" }, h("h2", {}, `${told.clusters.length} clusters`), tools("clusters", { index: asked.index, k: asked.k, seeds: asked.seeds })),
    told.clusters.map((one) => h("details", { id: `cluster-${one.rank}` }, h("summary", {}, `${one.rank}. ${number(one.size)} sentences: ${one.words.slice(0, 6).join(", ")}`),
      h("p", { class: "small" }, "Nearest to its centre"), h("ul", {}, one.nearest.map((text) => h("li", {}, text))), h("p", { class: "small" }, "Farthest from it"), h("ul", {}, one.farthest.map((text) => h("li", {}, text)))))));
  say(`Slope ${number(told.slope, 3)}`);
}

function words(root, state) {
  const place = h("div", {});
  const form = h("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    const data = new FormData(form), options = { index: state.index, method: data.get("method"), words: Number(data.get("words")) };
    try {
      const told = await work("layout", options, place, state.signal);
      if (!told) return;
      const shares = (await work("speech", { index: state.index, k: [3, 10] }, place, state.signal))?.results[0];
      const view = new PointMap(told.results.map((one) => ({ x: one.x, y: one.y, name: one.word, group: one.speech, detail: `${one.speech} · ${number(one.count)} times` })), { label: `Map of ${told.results.length} words by part of speech`, name: "words", labels: 60 });
      place.replaceChildren(h("div", { class: "spread" }, h("h3", {}, `${number(told.results.length)} words`), tools("layout", options)), notes(told.notes), view.element(),
        shares ? h("div", { class: "two" }, table([["part of speech", (one) => one.speech], ["of all words", (one) => percent(one.token_share), true], ["of different words", (one) => percent(one.type_share), true]], shares.shares, "Parts of speech"),
          table([["nearest words", (one) => one.k, true], ["of the same part", (one) => percent(one.share), true], ["by chance", (one) => percent(one.by_chance), true]], shares.neighbours, "Are near words of one part of speech?")) : "");
      say(`${told.results.length} words are drawn.`);
    } catch (error) { place.replaceChildren(problem(error)); }
  } }, field("Laid out by", select("method", [["pca", "main axes (quick)"], ["tsne", "t-SNE (neighbours stay near)"]])), field("Words", select("words", [[2000, "2,000"], [5000, "5,000"], [20000, "20,000"], [50000, "50,000"]], 5000)), h("button", { type: "submit", class: "main" }, "Draw the map"));
  root.append(h("section", { class: "card", "aria-label": "Word map" }, h("h2", {}, "Word map"), h("p", { class: "small" }, "The words of the index by their vectors, coloured by part of speech."), form, place));
}
