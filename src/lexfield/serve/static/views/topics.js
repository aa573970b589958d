// Topics, and documents near each other in the simplex, with the proof that none nearer was missed.
import { get, post, work } from "../api.js";
import { bars, figure } from "../chart.js";
import { field, h, notes, number, percent, problem, say, search, select } from "../dom.js";
import { tools } from "../tools.js";

export const title = "Topics";

export async function render(root, state) {
  const about = state.about;
  if (!about) throw Object.assign(new Error("There is no such index."), { hint: "Choose one above." });
  root.append(h("h1", {}, "Topics"), h("p", { class: "lead" }, "What the documents are about, as mixtures of topics, and which documents are mixed alike."));
  if (!about.topics) { fit(root, state, "This index has no topics yet."); return; }
  const k = state.parameters.get("k") ?? 8, asked = { index: state.index, k };
  const told = await get("topics", asked, state.signal), largest = Math.max(...told.results.map((one) => one.share));
  near(root, state);
  root.append(h("section", { class: "card", "aria-label": "All topics" }, h("div", { class: "spread" }, h("h2", {}, `${told.results.length} topics`), tools("topics", asked, { twin: "topics" })), notes(told.notes),
    h("div", { class: "columns" }, told.results.map((one) => h("article", { class: "topic" }, h("h3", {}, `Topic ${one.topic}`, h("span", { class: "small" }, ` ${percent(one.share)} of all words · coherence ${one.coherence.toFixed(2)}`)), h("div", { class: "bar", style: { width: `${100 * one.share / largest}%` } }), h("p", {}, Array.isArray(one.words) ? one.words.join(", ") : one.words))))));
  infer(root, state);
  fit(root, state, "Other topics?");
}

async function near(root, state) {
  const hash = new URLSearchParams(location.hash.slice(1)), place = h("div", {});
  const pick = h("input", { name: "document", list: "near-documents", value: hash.get("document") ?? "", placeholder: "a document of the index", autocomplete: "off", required: true });
  const options = h("datalist", { id: "near-documents" });
  const form = h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); const data = new FormData(form); history.replaceState({}, "", `#${search({ document: data.get("document").trim(), measure: data.get("measure") })}`); find(); } },
    h("label", { class: "field grow" }, "Document", pick), options, field("Measure", select("measure", [["js", "Jensen–Shannon"], ["hellinger", "Hellinger"]], hash.get("measure"))), h("button", { type: "submit", class: "main" }, "Find near ones"));
  root.append(h("section", { class: "card", "aria-label": "Documents near" }, h("h2", {}, "Documents mixed alike"), form, place));
  async function find() {
    const data = new FormData(form), like = data.get("document").trim(), measure = data.get("measure");
    const asked = { index: state.index, like, method: measure === "js" ? "topic" : "topic(measure=hellinger)", k: 10 };
    place.replaceChildren(h("p", { class: "hint" }, "Looking…"));
    try {
      const told = await get("search", asked, state.signal);
      place.replaceChildren(h("div", { class: "spread" }, h("h3", {}, `Like ${like}`), tools("search", asked, { twin: "search" })),
        h("div", {}, told.notes.map((note) => note.startsWith("exact") ? h("p", { class: "proof", id: "certificate" }, h("strong", {}, "Certificate. "), note) : h("p", { class: "note" }, note))),
        figure("How much of the mixture is shared: 1 is the same", "near", bars({ place, label: `Documents near ${like}`, rows: told.results.map((one) => ({ label: one.id, value: one.score, note: one.explanation.reasons.slice(0, 3).map((reason) => `${reason.query} ${number(reason.contribution, 2)}`).join("; ") })), onrow: (row) => { pick.value = row.label; form.requestSubmit(); } })));
      say(`${told.results.length} documents near ${like}`);
    } catch (error) { place.replaceChildren(problem(error)); }
  }
  try {
    const documents = (await get("documents", { index: state.index }, state.signal)).results;
    for (const one of documents) options.append(h("option", { value: one.id }, Object.values(one.metadata).join(" · ")));
    if (!pick.value && documents.length && document.activeElement !== pick) pick.value = documents[0].id; // nobody is typing
    if (hash.get("document")) find();
  } catch (error) { place.replaceChildren(problem(error)); }
}

function infer(root, state) {
  const place = h("div", {});
  const form = h("form", { onsubmit: async (event) => {
    event.preventDefault();
    try {
      const told = await post("infer", { index: state.index, text: new FormData(form).get("text"), k: 6 }, state.signal);
      place.replaceChildren(notes(told.notes), told.results.length ? figure("Its topics", "mixture", bars({ place, label: "Topics of your text", rows: told.results[0].topics.map((one) => ({ label: one.name, value: one.weight, shown: percent(one.weight) })) })) : "");
    } catch (error) { place.replaceChildren(problem(error)); }
  } }, h("label", { class: "field" }, "Your text", h("textarea", { name: "text", rows: 3, required: true })), h("button", { type: "submit", style: { marginTop: ".5rem" } }, "What is it about?"));
  root.append(h("section", { class: "card", "aria-label": "Your text" }, h("h2", {}, "The topics of your text"), form, place));
}

function fit(root, state, heading) {
  const place = h("div", {}), guess = Math.max(5, Math.min(50, Math.round(Math.sqrt(state.about.documents) * 1.5)));
  const form = h("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    try {
      const told = await work("fit", { index: state.index, topics: Number(new FormData(form).get("topics")) }, place, state.signal);
      if (told) { await state.refresh(); state.go("topics", search({ index: state.index })); }
    } catch (error) { place.replaceChildren(problem(error)); }
  } }, field("How many topics", h("input", { type: "number", name: "topics", min: 2, max: 500, value: String(guess) })), h("button", { type: "submit" }, "Fit topics"));
  root.append(h("section", { class: "card", "aria-label": "Fit topics" }, h("h2", {}, heading), form, place));
}
