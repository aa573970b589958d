// What is here, and how to bring more: files or text become an index.
import { build, remove } from "../api.js";
import { h, number, problem, say, search } from "../dom.js";

export const title = "Start";
export const recovers = false; // chosen files cannot be put back

export async function render(root, state) {
  const server = state.server, most = server.limits.body;
  let files = [];
  const chosen = h("p", { class: "small", role: "status" }, ""), place = h("div", {});
  const pick = h("input", { type: "file", multiple: true, id: "files", class: "unseen", tabindex: "-1", "aria-label": "Files", onchange: () => take([...pick.files]) });
  const drop = h("div", { class: "drop", ondragover: (event) => { event.preventDefault(); drop.classList.add("over"); }, ondragleave: () => drop.classList.remove("over"), ondrop: (event) => { event.preventDefault(); drop.classList.remove("over"); take([...event.dataTransfer.files]); } },
    h("p", {}, h("strong", {}, "Drop files here")), h("p", { class: "small" }, `Text, PDF, Word, EPUB, web pages, e-mail, tables, or a zip of these; ${number(Math.round(most / 1e6))} MB at most.`),
    pick, h("button", { type: "button", onclick: () => pick.click() }, "Choose files"), chosen);
  const text = h("textarea", { name: "text", rows: 6, placeholder: "Or paste a text here." }), name = h("input", { name: "name", maxlength: 60, placeholder: "my texts", autocomplete: "off" });
  function take(list) {
    files = list;
    const size = list.reduce((sum, file) => sum + file.size, 0);
    chosen.textContent = list.length ? `${list.length} ${list.length === 1 ? "file" : "files"}, ${(size / 1e6).toFixed(1)} MB: ${list.slice(0, 3).map((file) => file.name).join(", ")}${list.length > 3 ? ", …" : ""}` : "";
    if (!name.value && list.length) name.value = list[0].name.replace(/\.\w+$/, "");
  }
  const form = h("form", { class: "card", "aria-label": "Build an index", onsubmit: async (event) => {
    event.preventDefault();
    const body = new FormData();
    for (const file of files) body.append("files", file, file.name);
    if (text.value.trim()) body.append("files", new Blob([text.value], { type: "text/plain" }), `${name.value.trim() || "pasted"}.txt`);
    if (name.value.trim()) body.append("name", name.value.trim());
    const size = [...body.values()].reduce((sum, one) => sum + (one.size ?? 0), 0);
    if (!files.length && !text.value.trim()) return place.replaceChildren(problem({ message: "There is nothing to build from.", hint: "Drop a file above, or paste a text." }));
    if (size > most) return place.replaceChildren(problem({ message: `This is ${(size / 1e6).toFixed(1)} MB; at most ${number(most / 1e6)} MB are taken.`, hint: "Start the server with a larger --max-body, or use: lexfield index" }));
    button.disabled = true;
    try {
      const told = await build(body, place, state.signal);
      if (!told) { place.replaceChildren(h("p", { class: "note" }, "Cancelled. Nothing was kept.")); return; }
      await state.refresh();
      const built = told.results[0];
      place.replaceChildren(h("p", { class: "proof" }, h("strong", {}, `${built.id} is ready: `), `${number(built.documents)} documents, ${number(built.sentences)} sentences. `, h("a", { href: `/search?${search({ index: built.id })}` }, "Search it")), ...told.notes.map((note) => h("p", { class: "note" }, note)));
      table.replaceWith(table = listing(state));
      say(`${built.id} is ready`);
    } catch (error) { place.replaceChildren(problem(error)); }
    finally { button.disabled = false; }
  } }, h("h2", {}, "Bring your texts"), h("div", { class: "two", style: { alignItems: "stretch" } }, drop, h("div", {}, h("label", { class: "field" }, "Text", text), h("label", { class: "field", style: { marginTop: ".6rem" } }, "Name of the index", name))), h("div", { class: "row", style: { margin: ".8rem 0" } }), place);
  const button = h("button", { type: "submit", class: "main" }, "Build the index");
  form.querySelector(".row").append(button);
  let table = listing(state);
  root.append(h("h1", {}, "Start"), h("p", { class: "lead" }, "Your texts become an index on this machine. Nothing leaves it."), form, table);
}

function listing(state) {
  const list = state.server.indexes;
  return h("section", { class: "card", "aria-label": "Indexes" }, h("h2", {}, "Indexes"), list.length ? h("div", { class: "columns" }, list.map((one) => h("article", {}, h("h3", {}, h("a", { href: `/search?${search({ index: one.id })}` }, one.id)),
    h("p", { class: "small" }, `${number(one.documents)} documents · ${number(one.sentences)} sentences · ${number(one.tokens)} words${one.topics ? " · topics" : ""}`),
    one.uploaded ? h("button", { type: "button", class: "quiet", onclick: async (event) => {
      if (event.target.dataset.sure !== "yes") { event.target.dataset.sure = "yes"; event.target.textContent = "Delete it for good?"; return; }
      try {
        await remove(`indexes/${one.id}`);
        await state.refresh();
        state.go("start", "", { replace: true });
      } catch (error) { event.target.replaceWith(problem(error)); }
    } }, "Delete") : null))) : h("p", { class: "hint" }, "None yet."));
}
