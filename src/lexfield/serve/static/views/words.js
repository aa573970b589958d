// Words near a word, how sure that is, and from where on words are related.
import { get, work } from "../api.js";
import { canvas, figure, plot, s, widthOf } from "../chart.js";
import { field, h, notes, number, problem, say, search, select, table } from "../dom.js";
import { tools } from "../tools.js";

export const title = "Words";

export async function render(root, state) {
  const given = state.parameters, server = state.server;
  const word = given.get("word") ?? "";
  const source = given.get("models") ? `models:${given.get("models")}` : `vectors:${given.get("vectors") ?? "default"}`;
  const sources = [...server.vectors.map((name) => [`vectors:${name}`, name === "default" ? "built-in vectors" : name]), ...server.models.map((one) => [`models:${one.id}`, `${one.models} models of ${one.id}`])];
  const form = h("form", { class: "card row", role: "search", onsubmit: (event) => {
    event.preventDefault();
    const data = new FormData(form), [kind, name] = data.get("source").split(/:(.*)/s);
    state.go("words", search({ word: data.get("word").trim(), k: data.get("k") === "15" ? null : data.get("k"), [kind]: kind === "vectors" && name === "default" ? null : name }));
  } }, h("label", { class: "field grow" }, "Word", h("input", { name: "word", value: word, placeholder: "for instance: lighthouse", autocomplete: "off", required: true })),
  field("How many", select("k", [10, 15, 30, 60], given.get("k") ?? 15)), field("From", select("source", sources, source)), h("button", { class: "main", type: "submit" }, "Find"));
  const result = h("div", {}), curve = h("div", {});
  root.append(h("h1", {}, "Words"), h("p", { class: "lead" }, "The nearest words, how sure that is, and from which similarity on words count as related."), form, result, curve);
  const models = given.get("models"), vectors = given.get("vectors");
  if (word) try {
    const asked = { word, k: given.get("k") ?? 15, models, vectors };
    result.append(h("p", { class: "hint" }, "Looking…"));
    near(result, await get("near", asked, state.signal), asked, state);
  } catch (error) { result.replaceChildren(problem(error)); }
  const limit = threshold(curve, { models, vectors }, state);
  if (!models && state.index) training(root, state);
  await limit;
}

function near(root, told, asked, state) {
  const rows = told.results, card = h("section", { class: "card", "aria-label": "Nearest words" });
  root.replaceChildren(card);
  card.append(h("div", { class: "spread" }, h("h2", {}, rows.length ? `Near “${asked.word}”` : `“${asked.word}” is not known`), tools("near", asked, { twin: "words" })), notes(told.notes));
  if (!rows.length) return;
  const go = (word) => state.go("words", search({ ...asked, word, k: asked.k === 15 ? null : asked.k }));
  card.append(figure(rows[0].deviation === undefined ? "Cosine similarity. With several models each would have an error bar." : "Mean cosine similarity over the models; the bar is one standard deviation.", "neighbours", dots(card, rows, go)),
    h("details", {}, h("summary", {}, "As a table"), table([["word", (one) => h("button", { type: "button", class: "link", onclick: () => go(one.word) }, one.word)], ["similarity", (one) => one.similarity, true], ["distance", (one) => one.distance, true],
      ...(rows[0].deviation === undefined ? [] : [["deviation", (one) => one.deviation, true], ["near in", (one) => `${Math.round(100 * one.share)}% of models`], ["ranks", (one) => `${one.best_rank} to ${one.worst_rank}`]])], rows, "Nearest words")));
  say(`Nearest: ${rows.slice(0, 3).map((one) => one.word).join(", ")}`);
}

function dots(place, rows, go) {
  const width = widthOf(place), line = 26, named = Math.min(Math.round(width * .4), 30 + 7.5 * Math.max(...rows.map((row) => row.word.length))), height = line * rows.length + 34;
  const svg = canvas(width, height, `Similarities: ${rows.slice(0, 5).map((one) => `${one.word} ${number(one.similarity, 2)}`).join(", ")}`, "group");
  const spread = rows[0].deviation !== undefined, least = Math.min(...rows.map((row) => row.similarity - (row.deviation ?? 0))), most = Math.max(...rows.map((row) => row.similarity + (row.deviation ?? 0)));
  const step = [.01, .02, .05, .1, .2].find((one) => (most - least) / one <= 7) ?? .5, digits = step < .1 ? 2 : 1;
  const low = Math.max(-1, Math.floor(least / step - 1e-9) * step), high = Math.min(1, Math.ceil(most / step + 1e-9) * step), px = (value) => named + 12 + (value - low) / (high - low || 1) * (width - named - (spread ? 120 : 70));
  for (let value = low; value <= high + 1e-9; value += step) svg.append(s("line", { x1: px(value), x2: px(value), y1: 0, y2: height - 28, stroke: "var(--line)" }), s("text", { x: px(value), y: height - 12, "text-anchor": "middle", fill: "var(--soft)" }, value.toFixed(digits)));
  rows.forEach((row, i) => {
    const y = line * i + 13;
    svg.append(s("g", { role: "button", tabindex: 0, cursor: "pointer", onclick: () => go(row.word), onkeydown: (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); go(row.word); } } },
      s("title", {}, `${row.word}: ${number(row.similarity, 4)}${row.deviation === undefined ? "" : ` ± ${number(row.deviation, 2)}, rank ${row.best_rank} to ${row.worst_rank}`}`), s("rect", { x: 0, y: y - 13, width, height: line, fill: "transparent" }),
      s("text", { x: named, y: y + 5, "text-anchor": "end", "font-size": 14 }, row.word), s("line", { x1: px(low), x2: px(row.similarity), y1: y, y2: y, stroke: "var(--accent-soft)", "stroke-width": 6 }),
      row.deviation === undefined ? null : s("line", { x1: px(Math.max(low, row.similarity - row.deviation)), x2: px(Math.min(high, row.similarity + row.deviation)), y1: y, y2: y, stroke: "var(--ink)", "stroke-width": 2 }),
      s("circle", { cx: px(row.similarity), cy: y, r: 5, fill: "var(--c0)" }), s("text", { x: width - 4, y: y + 4, "text-anchor": "end", fill: "var(--soft)", "font-size": 12 }, row.deviation === undefined ? row.similarity.toFixed(2) : `${row.similarity.toFixed(2)} ± ${row.deviation.toFixed(2)}`)));
  });
  return svg;
}

async function threshold(root, asked, state) {
  const card = h("section", { class: "card", "aria-label": "Threshold" }, h("h2", {}, "From where on are words related?")), place = h("div", {});
  card.append(place);
  root.append(card);
  const drawing = async () => {
    try {
      const told = await work("threshold", asked, place, state.signal);
      if (!told) return;
      const shown = told.curve.filter((one) => one.neighbours > .01);
      const svg = plot({ place: card, label: `Expected neighbours by similarity; the threshold is ${number(told.threshold, 3)}`, x: { label: "similarity (cosine)", low: Math.max(0, shown[0].similarity), high: 1 }, y: { label: "neighbours of a word, on average", log: true, low: .05, high: shown[0].neighbours * 1.5 },
        lines: [{ name: "", x: shown.map((one) => one.similarity), y: shown.map((one) => one.neighbours) }], rules: [{ x: told.threshold, name: `threshold ${number(told.threshold, 3)}` }], band: told.interval.map((one) => Math.min(1, one)) });
      place.replaceChildren(h("div", { class: "spread" }, h("p", {}, `A word has ${number(told.synonyms)} synonyms on average. As many words lie above a similarity of ${number(told.threshold, 3)} (${number(told.interval[0], 3)} to ${number(told.interval[1], 3)}).`), tools("threshold", asked)), figure(`${number(told.words)} words`, "threshold", svg), notes(told.notes));
    } catch (error) { place.replaceChildren(problem(error)); }
  };
  place.append(h("button", { type: "button", onclick: drawing }, "Draw the curve"), h("p", { class: "small" }, "Takes some seconds: a sample of words is compared with all others."));
}

function training(root, state) {
  const place = h("div", {});
  root.append(h("section", { class: "card", "aria-label": "Error bars" }, h("h2", {}, "How sure is it?"), h("p", { class: "small" }, `Train five models of the index “${state.index}” that differ by chance alone; where they disagree, the similarity is unsure. Small collections give poor models.`),
    h("button", { type: "button", onclick: async () => {
      try {
        const told = await work("models", { index: state.index, models: 5, dims: 100, least: 3 }, place, state.signal);
        if (!told) return;
        await state.refresh();
        state.go("words", search({ word: state.parameters.get("word") ?? "sea", models: told.results[0].where }));
      } catch (error) { place.replaceChildren(problem(error)); }
    } }, "Train five models"), place));
}
