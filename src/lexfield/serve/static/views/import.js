// @ts-check
// Texts become a collection: files, whole folders or a paste, with a look at their columns first.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { ask, follow, remove } from "../lib/api.js";
import { onLongPaste } from "../lib/pastes.js";
import { forget, go } from "../lib/route.js";
import { Progress, Select, Table, Trouble, html, number, plural, say, shorten, toast, usePage } from "../lib/ui.js";

const TABLES = /\.((csv|tsv|jsonl|ndjson|json)(\.gz)?|parquet)$/i;
const BEGINNING = 1_000_000; // bytes of a table that are sent for a look at its columns

export function Import() {
  const { server, refresh } = usePage();
  const [files, setFiles] = useState(/** @type {File[]} */ ([]));
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const [over, setOver] = useState(false);
  const [columns, setColumns] = useState(/** @type {Record<string, string>} */ ({}));
  const [job, setJob] = useState(/** @type {any} */ (null));
  const [state, setState] = useState({ problem: /** @type {any} */ (null), told: "" });
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const most = server.limits.upload ?? server.limits.body;
  const size = files.reduce((sum, file) => sum + file.size, 0) + text.length;
  const take = (all) => {
    const list = sortFiles(all);
    setFiles(list);
    setColumns({});
    setState({ problem: null, told: "" });
    if (!name && list.length) setName(nameAll(list));
  };
  const paste = onLongPaste((long) => take([...files, new File([long], "pasted.txt", { type: "text/plain" })]));
  const drop = async (event) => {
    event.preventDefault();
    setOver(false);
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const found = entries.some((one) => one.isDirectory)
      ? (await Promise.all(entries.map(unfold))).flat()
      : [...event.dataTransfer.files];
    take(found);
  };
  const run = async (form) => {
    leaving.current = new AbortController();
    setState({ problem: null, told: "" });
    setJob({ state: "waiting" });
    try {
      const start = (follower) => {
        form.append("follower", follower);
        return ask("/v1/indexes", { method: "POST", body: form, signal: leaving.current.signal });
      };
      const answer = await follow(start, setJob, leaving.current.signal);
      const built = answer.results[0];
      await refresh();
      forget();
      say(`${built.id} is ready`);
      go(`/overview?index=${encodeURIComponent(built.id)}`);
      const left = answer.notes.filter((note) => note.startsWith("left out"));
      if (left.length) toast(`Left out: ${left.map((note) => note.replace(/^left out:? */, "")).join("; ")}.`, 12);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") setState({ problem: error, told: "" });
    } finally {
      setJob(null);
    }
  };
  const cancel = () => {
    leaving.current.abort();
    setJob(null);
    setState({ problem: null, told: "Cancelled. Nothing was kept." });
  };
  const sample = () => {
    const form = new FormData();
    form.append("sample", "true");
    run(form);
  };
  const refuse = (message, hint) => setState({ problem: { message, hint }, told: "" });
  const submit = (event) => {
    event.preventDefault();
    if (!files.length && !text.trim()) return refuse("There is nothing to add yet.", "Drop a file, or paste a text.");
    if (size > most)
      return refuse(
        `This is ${megabytes(size)}; at most ${megabytes(most)} are taken.`,
        "Start the server with a larger --max-upload, or use: lexfield index",
      );
    const form = new FormData();
    for (const file of files) form.append("files", file, nameOne(file, files));
    if (text.trim()) form.append("files", new Blob([text], { type: "text/plain" }), `${name.trim() || "pasted"}.txt`);
    if (name.trim()) form.append("name", name.trim());
    for (const [field, value] of Object.entries(columns)) if (value) form.append(field, value);
    run(form);
  };
  const pick = useRef(/** @type {HTMLInputElement | null} */ (null));
  const folder = useRef(/** @type {HTMLInputElement | null} */ (null));
  const table = files.find((file) => TABLES.test(file.name));
  return html`<h1>Add texts</h1>
    <p class="lead">Your texts become a collection on this machine. Nothing leaves it.</p>
    ${
      !server.indexes.length &&
      html`<div class="note row middle">
        <span>There are no texts here yet. Add yours, or look around in 64 short texts by eight writers.</span>
        <button type="button" class="main" disabled=${!!job} onClick=${sample}>Try the sample</button>
      </div>`
    }
    <form class="card" aria-label="Add texts" onSubmit=${submit}>
      <div class="two">
        <div
          class="drop ${over ? "over" : ""}"
          onDragOver=${(event) => (event.preventDefault(), setOver(true))}
          onDragLeave=${() => setOver(false)}
          onDrop=${drop}
        >
          <p><strong>Drop files or folders here</strong></p>
          <p class="small">Text, tables, PDF, Word, EPUB, web pages, or a zip of these; up to ${megabytes(most)}.</p>
          <input ref=${pick} id="files" class="unseen" type="file" multiple tabindex="-1" aria-label="Files"
            onChange=${(event) => take([...event.target.files])} />
          <input ref=${folder} class="unseen" type="file" webkitdirectory tabindex="-1" aria-label="Folder"
            onChange=${(event) => take([...event.target.files])} />
          <div class="row center">
            <button type="button" onClick=${() => pick.current?.click()}>Choose files</button>
            <button type="button" onClick=${() => folder.current?.click()}>Choose a folder</button>
          </div>
          <p class="small" role="status">
            ${
              files.length > 0 &&
              html`${plural(files.length, "file")}, ${megabytes(size - text.length)}: ${files
                .slice(0, 3)
                .map((file) => file.name)
                .join(", ")}${files.length > 3 && ", …"}`
            }
          </p>
        </div>
        <div class="stack">
          <label class="field"
            ><span>Or paste a text</span>
            <textarea name="text" rows="7" value=${text} onPaste=${paste}
              onInput=${(event) => setText(event.target.value)}></textarea>
          </label>
          <label class="field"
            ><span>Name of the collection</span>
            <input name="name" maxlength="60" placeholder="my texts" autocomplete="off" value=${name}
              onInput=${(event) => setName(event.target.value)} />
          </label>
        </div>
      </div>
      ${
        table &&
        html`<${Columns} key=${table.name + table.size} file=${table} columns=${columns}
        setColumns=${setColumns} />`
      }
      ${
        job
          ? html`<${Progress} job=${job} cancel=${cancel} />`
          : html`<div class="row"><button class="main"
        type="submit">Add these texts</button></div>`
      }
      <${Trouble} problem=${state.problem} />
      ${state.told && html`<p class="note" role="status">${state.told}</p>`}
    </form>
    <${Collections} />`;
}

const megabytes = (bytes) => `${number(bytes < 1e6 ? Math.ceil(bytes / 1e5) / 10 : Math.round(bytes / 1e6))} MB`;

const paths = new WeakMap(); // of files in folders that were dropped
/** @param {File} file @returns {string} */
const pathOf = (file) => paths.get(file) ?? (file.webkitRelativePath || file.name);

/** Files in the order of their paths, without those that are hidden. @param {File[]} files */
const sortFiles = (files) =>
  files
    .filter((file) => !file.name.startsWith("."))
    .sort((a, b) => pathOf(a).localeCompare(pathOf(b), "en", { numeric: true }));

/** A name for a collection: the folder of all files, or the first file. @param {File[]} files */
function nameAll(files) {
  const folders = new Set(files.map((file) => (pathOf(file).includes("/") ? pathOf(file).split("/")[0] : "")));
  const [folder] = folders;
  return folders.size === 1 && folder ? folder : files[0].name.replace(/\.\w+(\.gz)?$/, "");
}

/** The name of a file; where another folder has one that is called the same, with its folders.
 * @param {File} file @param {File[]} files */
function nameOne(file, files) {
  const same = files.filter((one) => one.name === file.name);
  return same.length > 1 ? pathOf(file).split("/").slice(1).join(" ") || file.name : file.name;
}

/** All files in a folder that was dropped. @param {any} entry @returns {Promise<File[]>} */
async function unfold(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    paths.set(file, entry.fullPath.slice(1));
    return [file];
  }
  const reader = entry.createReader();
  /** @type {File[]} */
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // a hundred at a time
    if (!some.length) return found;
    found.push(...(await Promise.all(some.map(unfold))).flat());
  }
}

const ROLES = [
  ["text_field", "Text", "text"],
  ["title_field", "Title", "title"],
  ["id_field", "Name of each", "id"],
];

/** The columns of a table, and which of them are the text and the title. */
function Columns({ file, columns, setColumns }) {
  const [seen, setSeen] = useState(/** @type {import("../lib/types").Preview | null} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const leave = new AbortController();
    const form = new FormData();
    const isWhole = /\.(parquet|gz)$/i.test(file.name); // what is packed cannot be cut
    form.append("files", isWhole ? file : file.slice(0, BEGINNING), file.name);
    ask("/v1/preview", { method: "POST", body: form, signal: leave.signal }).then(setSeen, (error) =>
      error.name === "AbortError" ? null : setProblem(error),
    );
    return () => leave.abort();
  }, []);
  if (problem) return html`<${Trouble} problem=${problem} />`;
  if (!seen?.columns.length) return null;
  const names = seen.columns.map((one) => one.name);
  const usedAs = (role) => seen.columns.find((one) => one.role === role)?.name ?? "";
  const none = { text_field: "Choose a column", title_field: "none", id_field: "numbered" };
  const choose = (field, value) =>
    setColumns({ ...columns, [field]: value || (field === "title_field" ? "none" : "") });
  return html`<fieldset class="columns-choice">
    <legend>Columns of ${file.name}</legend>
    <div class="row">
      ${ROLES.map(
        ([field, label, role]) =>
          html`<${Select} label=${label} value=${columns[field] ?? usedAs(role)}
            choices=${[["", none[field]], ...names]}
            onChange=${(value) => choose(field, value)} />`,
      )}
    </div>
    <${Table} caption="The first rows" rows=${seen.rows}
      columns=${names.map((name) => [name, (row) => shorten(String(row[name] ?? ""), 80)])} />
    <p class="small">All other columns become metadata to filter and colour by.</p>
  </fieldset>`;
}

function Collections() {
  const { server, refresh } = usePage();
  const [sure, setSure] = useState("");
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const erase = async (id) => {
    if (sure !== id) return setSure(id);
    try {
      await remove(`indexes/${encodeURIComponent(id)}`);
      localStorage.removeItem("index");
      await refresh();
      go("/import", { replace: true });
      say(`${id} is deleted.`);
    } catch (error) {
      setProblem(error);
    }
  };
  if (!server.indexes.length) return null;
  return html`<section aria-label="Collections">
    <h2>Collections</h2>
    <${Trouble} problem=${problem} />
    <ul class="cards">
      ${server.indexes.map(
        (one) =>
          html`<li class="card">
            <h3><a href=${`/overview?index=${encodeURIComponent(one.id)}`}>${one.id}</a></h3>
            <p class="small">
              ${plural(one.documents, "document")}, ${plural(one.sentences, "sentence")}
            </p>
            ${
              one.uploaded &&
              html`<button type="button" class="quiet"
                onClick=${() => erase(one.id)}>${sure === one.id ? "Delete it for good?" : "Delete"}</button>`
            }
          </li>`,
      )}
    </ul>
  </section>`;
}
