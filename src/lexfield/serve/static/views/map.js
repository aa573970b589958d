// @ts-check
// Documents as points, close together if they use words alike: click to read, draw around some to filter or compare.
import { useMemo, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { anyOf } from "../lib/filter.js";
import { COLOURS } from "../lib/groups.js";
import { Points } from "../lib/points.js";
import { keepPaste } from "../lib/pastes.js";
import { change, go, href } from "../lib/route.js";
import { DocumentLink, read, titleField, titleOf } from "../lib/text.js";
import { Choice, Notes, Outcome, Select, Trouble, fieldName, html, plural, usePage } from "../lib/ui.js";

const KINDS = [
  ["words", "Words", "Documents that use the same words equally often are close together."],
  ["meaning", "Meaning", "Each document is beside those whose words mean most nearly the same."],
];
const LONG = 1000; // words of a document, from which on documents share enough words to be compared by them

export const MOST = 5000; // documents that are placed by meaning

/** What a map shows unless something else is asked for: short texts share hardly any words. */
export const usualKind = (about) => (about.tokens < LONG * about.documents ? "meaning" : "words");

/** How the server is asked for a map. @param {string} kind */
export const mapOptions = (kind) =>
  kind === "meaning" ? { layout: "neighbours", most: MOST } : { space: "categorical", measure: "hellinger" };

/** Fields that tell documents apart. */
const listFields = ({ metadata }) => Object.keys(metadata).filter((name) => Object.keys(metadata[name]).length > 1);

/** The field to colour by: the one that is asked for, or the first whose values repeat; rather one with few values,
 * each of which then has its own colour. */
export function colourField(about, asked) {
  const fields = listFields(about);
  if (asked && fields.includes(asked)) return asked;
  const valuesOf = (name) => Object.entries(about.metadata[name]).filter(([value]) => value);
  const repeating = ["author", ...fields].filter((name) => {
    const values = fields.includes(name) ? valuesOf(name) : [];
    return values.length > 1 && values.some(([, count]) => count > 1);
  });
  if (repeating[0] === "author") return "author";
  return repeating.find((name) => valuesOf(name).length <= COLOURS) ?? repeating[0] ?? fields[0] ?? "";
}

export const placePoints = (rows, by) =>
  rows.map((one) => ({
    x: one.x,
    y: one.y,
    id: one.id,
    name: titleOf(one.id, one.metadata),
    value: by ? one.metadata[by] : "",
    detail: Object.entries(one.metadata)
      .filter(([field, value]) => value && field !== titleField(one.metadata))
      .map(([, value]) => value)
      .join(" · "),
  }));

export function MapView() {
  const { index, where, about, params } = usePage();
  const usual = usualKind(about);
  const kind = params.get("kind") ?? usual;
  const by = colourField(about, params.get("by"));
  const options = { index, where, ...mapOptions(kind) };
  const few = about.documents < 3;
  const found = useAnswer("map", few ? null : options, { job: true });
  const fields = listFields(about);
  return html`<div class="spread">
      <h1>Map</h1>
      ${
        found.answer &&
        html`<${Export} verb="map" options=${options} title=${`${index}: map`}
        results=${found.answer.results} pin=${false} />`
      }
    </div>
    <div class="row middle controls">
      <${Choice} label="Close together means" name="kind" value=${kind} choices=${KINDS}
        onChange=${(value) => change({ kind: value === usual ? null : value, lasso: null })} />
      ${
        fields.length > 0 &&
        html`<${Select} label="Colour" value=${by} choices=${fields.map((name) => [name, fieldName(name)])}
        onChange=${(value) => change({ by: value })} />`
      }
    </div>
    ${few && html`<p class="hint">A map needs at least three documents. Add more texts, or read this one.</p>`}
    <${Outcome} asked=${found} wait="Comparing the documents…">
      ${(answer) => html`<${Drawn} answer=${answer} by=${by} kind=${kind} />`}
    </${Outcome}>`;
}

const CORNERS = 40; // of a lasso in the address

/** A path as numbers from 0 to 1000, such as 120,340 125,360. @param {[number, number][]} path */
function writePath(path) {
  const step = Math.max(1, path.length / CORNERS);
  const kept = Array.from({ length: Math.min(path.length, CORNERS) }, (_, i) => path[Math.floor(i * step)]);
  return kept.map((corner) => corner.map((share) => Math.round(1000 * share)).join(",")).join(" ");
}

/** @param {string} text @returns {[number, number][]} */
const readPath = (text) =>
  text
    .split(" ")
    .slice(0, CORNERS)
    .map((corner) => corner.split(",").map((one) => Number(one) / 1000))
    .filter((corner) => corner.length === 2 && corner.every(Number.isFinite))
    .map(([x, y]) => [x, y]);

function Drawn({ answer, by, kind }) {
  const { params, where } = usePage();
  const points = useMemo(() => placePoints(answer.results, by), [answer, by]);
  const [inside, setInside] = useState(/** @type {string[][]} */ ([]));
  const drawn = params.getAll("lasso").join("|");
  const lassos = useMemo(() => (drawn ? drawn.split("|").slice(0, 2).map(readPath) : []), [drawn]);
  // What is drawn around, and what is picked in the list: the same without a mouse.
  const picked = PICKED.map((name) => params.getAll(name));
  const groups = [0, 1].map((i) => [...new Set([...(inside[i] ?? []), ...picked[i]])]).filter((ids) => ids.length);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const keep = (ids) => keepPaste(anyOf("id", ids)); // an address cannot hold thousands of names
  const filter = (ids) =>
    keep(ids).then((one) => change({ where: [one], lasso: null, in_a: null, in_b: null }), setProblem);
  const some = answer.notes.find((note) => note.endsWith("evenly chosen"));
  const compare = () =>
    Promise.all(groups.map(keep)).then(([a, b]) => go(href("compare", { a_where: a, b_where: b })), setProblem);
  return html`<${Points}
      points=${points}
      label=${`Map of ${plural(points.length, "document")}${by ? ` coloured by ${fieldName(by)}` : ""}`}
      title=${`Map of ${plural(points.length, "document")}${by ? ` by ${fieldName(by)}` : ""}`}
      name="map"
      onPoint=${(one) => read(one.id)}
      lassos=${lassos}
      onLasso=${(paths) => change({ lasso: paths.map(writePath) })}
      onGroups=${setInside}
    />
    ${
      groups.length > 0 &&
      html`<div class="selection" role="group" aria-label="Selection">
      ${groups.map(
        (ids, i) =>
          html`<div class=${`side-${i ? "b" : "a"}`}>
            <strong>${groups.length > 1 ? `Group ${i ? "B" : "A"}: ` : ""}${plural(ids.length, "document")}</strong>
            <button type="button" onClick=${() => filter(ids)}>Filter all views to these</button>
          </div>`,
      )}
      ${
        groups.length > 1
          ? html`<button type="button" class="main"
        onClick=${compare}>Compare A with B</button>`
          : html`<span
          class="small">Lasso or pick a second group to compare the two.</span>`
      }
      <${Trouble} problem=${problem} />
    </div>`
    }
    <p class="small">
      ${`${KINDS.find(([name]) => name === kind)?.[2]} `}
      ${kind === "meaning" && "How far apart groups are means nothing. "}
      ${some ? `${some[0].toUpperCase()}${some.slice(1)}; filter them to see others. ` : ""}
      Click a point to read it. Drag to move; zoom with the buttons, or with the wheel after a click on the map.
      ${!some && where.length > 0 && ` ${plural(points.length, "document")} pass the filter.`}
    </p>
    <${AsList} rows=${answer.results} by=${by} picked=${picked} />
    <${Notes} notes=${answer.notes.filter((note) => note !== some)} />`;
}

const PICKED = ["in_a", "in_b"]; // parameters of the address

/** The documents, to read and to pick for the two groups. */
function AsList({ rows, by, picked }) {
  const [open, setOpen] = useState(picked.some((ids) => ids.length > 0));
  const pick = (i, id) =>
    change({ [PICKED[i]]: picked[i].includes(id) ? picked[i].filter((one) => one !== id) : [...picked[i], id] });
  const box = (i, one) => {
    const letter = "AB"[i];
    return html`<label class="pick ink-${letter.toLowerCase()}" title=${`Put it into group ${letter}`}>
      <input type="checkbox" aria-label=${`Group ${letter}: ${titleOf(one.id, one.metadata)}`}
        checked=${picked[i].includes(one.id)} onChange=${() => pick(i, one.id)} />${letter}</label>`;
  };
  return html`<details class="quiet-fold" open=${open} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>As a list, to pick groups without a mouse</summary>
    ${
      open &&
      html`<ul class="columns plain">${rows.map(
        (one) => html`<li key=${one.id}>${box(0, one)}${box(1, one)} <${DocumentLink} id=${one.id}
        metadata=${one.metadata} /> <span class="small">${by && one.metadata[by]}</span></li>`,
      )}</ul>`
    }
  </details>`;
}
