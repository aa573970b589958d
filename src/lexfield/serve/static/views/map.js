// @ts-check
// Documents as points, close together if they use words alike: click to read, draw around some to filter or compare.
import { useMemo, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { Points } from "../lib/points.js";
import { change, go, href } from "../lib/route.js";
import { DocumentLink, read, titleOf } from "../lib/text.js";
import { Choice, Notes, Outcome, Select, html, plural, usePage } from "../lib/ui.js";

export const MAP = { space: "categorical", measure: "hellinger" };
const KINDS = [
  ["words", "Words", "documents that use the same words are close"],
  ["meaning", "Meaning", "documents whose words mean the same are close; takes longer"],
];

/** The field to colour by: the one that is asked for, or the first whose values repeat. */
export function colourField(about, asked) {
  const fields = Object.keys(about.metadata);
  if (asked && fields.includes(asked)) return asked;
  const repeats = (name) => {
    const counts = Object.values(about.metadata[name]);
    return counts.length > 1 && counts.some((count) => count > 1);
  };
  return ["author", ...fields].find((name) => fields.includes(name) && repeats(name)) ?? fields[0] ?? "";
}

export const placePoints = (rows, by) =>
  rows.map((one) => ({
    x: one.x,
    y: one.y,
    id: one.id,
    name: titleOf(one.id, one.metadata),
    value: by ? one.metadata[by] : "",
    detail: Object.values(one.metadata)
      .filter((value) => value && value !== one.metadata.title)
      .join(" · "),
  }));

export function MapView() {
  const { index, where, about, params } = usePage();
  const kind = params.get("kind") ?? "words";
  const by = colourField(about, params.get("by"));
  const options = { index, where, ...MAP, space: kind === "meaning" ? "latent" : "categorical" };
  const few = about.documents < 3;
  const found = useAnswer("map", few ? null : options, { job: true });
  const fields = Object.keys(about.metadata);
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
        onChange=${(value) => change({ kind: value === "words" ? null : value, lasso: null })} />
      ${
        fields.length > 0 &&
        html`<${Select} label="Colour" value=${by} choices=${fields}
        onChange=${(value) => change({ by: value })} />`
      }
    </div>
    ${few && html`<p class="hint">A map needs at least three documents. Add more texts, or read this one.</p>`}
    <${Outcome} asked=${found} wait="Comparing every pair of documents…">
      ${(answer) => html`<${Drawn} answer=${answer} by=${by} />`}
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

function Drawn({ answer, by }) {
  const { about, params } = usePage();
  const points = useMemo(() => placePoints(answer.results, by), [answer, by]);
  const [groups, setGroups] = useState(/** @type {string[][]} */ ([]));
  const drawn = params.getAll("lasso").join("|");
  const lassos = useMemo(() => (drawn ? drawn.split("|").slice(0, 2).map(readPath) : []), [drawn]);
  const filter = (ids) => change({ where: [`id=${ids.join(",")}`], lasso: null });
  const compare = () =>
    go(href("compare", { a_where: `id=${groups[0].join(",")}`, b_where: `id=${groups[1].join(",")}` }));
  return html`<${Points}
      points=${points}
      label=${`Map of ${plural(points.length, "document")}${by ? ` coloured by ${by}` : ""}`}
      title=${`Map of ${plural(points.length, "document")}${by ? ` by ${by}` : ""}`}
      name="map"
      onPoint=${(one) => read(one.id)}
      lassos=${lassos}
      onLasso=${(paths) => change({ lasso: paths.map(writePath) })}
      onGroups=${setGroups}
    />
    ${
      groups.length > 0 &&
      html`<div class="selection" role="group" aria-label="Lasso">
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
          class="small">Lasso a second group to compare the two.</span>`
      }
    </div>`
    }
    <p class="small">
      Click a point to read it. Drag to move; zoom with the buttons, or with the wheel after a click on the map.
      ${" "}${about.documents > points.length && `${plural(points.length, "document")} pass the filter.`}
    </p>
    <details class="quiet-fold">
      <summary>As a list</summary>
      <ul class="columns plain">${answer.results.map(
        (one) => html`<li><${DocumentLink} id=${one.id}
        metadata=${one.metadata} /> <span class="small">${by && one.metadata[by]}</span></li>`,
      )}</ul>
    </details>
    <${Notes} notes=${answer.notes} />`;
}
