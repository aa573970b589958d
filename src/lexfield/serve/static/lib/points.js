// @ts-check
// The map: documents or words as points on a canvas, coloured by a field, with a legend and a lasso.
import { useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { Scatter } from "../scatter.js";
import { alone, asAddress, asSvg, colour, element, palette, toPng } from "./chart.js";
import { addPin } from "./pins.js";
import { html, number, plain, save, say, usePage } from "./ui.js";

export const COLOURS = 8; // colours; a field with more values has seven and the rest
const CROWD = 400; // points among which many names would hide the others
const STEPS = 12; // of a gradient
const HALF = STEPS / 2;
const NO_VALUE = "none";

/** @typedef {{ x: number, y: number, id: string, name: string, value: any, detail: string }} Point */

const DAY = 864e5; // milliseconds
/** A date such as 2022-05-25 or 25/May/22 in days, or NaN. @param {unknown} value */
function readDay(value) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(String(value)) ?? [];
  if (year) return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY;
  const [named] = /^\d{1,2}[/ -][a-z]{3,9}[/ -]\d{2,4}(?!\d)/i.exec(String(value)) ?? [];
  return named ? Math.floor(Date.parse(`${named} UTC`) / DAY) : NaN;
}
const showDay = (day) => new Date(day * DAY).toISOString().slice(0, 10);

/** The groups of points by the values of a field. @param {Point[]} points */
export function groupPoints(points) {
  const values = points.map((one) => one.value ?? "");
  const given = values.filter((one) => one !== "");
  const isDate = given.length > 0 && given.every((one) => Number.isFinite(readDay(one)));
  const read = isDate ? readDay : Number;
  const numbers = given.map(read);
  if (numbers.length && numbers.every(Number.isFinite) && new Set(numbers).size > COLOURS) {
    // Every step has as many points, so that a few large numbers do not make all others look alike.
    const sorted = numbers.sort((a, b) => a - b);
    const bounds = Array.from({ length: STEPS + 1 }, (_, i) => sorted[Math.floor((i / STEPS) * (sorted.length - 1))]);
    const bin = (value) => {
      const above = bounds.findIndex((bound, i) => i > 0 && read(value) < bound);
      return value === "" ? STEPS : above < 0 ? STEPS - 1 : above - 1;
    };
    const shown = bounds.map(isDate ? showDay : plain);
    return { kind: "gradient", bounds: shown, names: [], of: values.map(bin), count: STEPS + 1, isDate };
  }
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || String(a[0]).localeCompare(String(b[0])));
  const shown = sorted.length > COLOURS ? sorted.slice(0, COLOURS - 1) : sorted;
  const names = shown.map(([value, count]) => [value === "" ? NO_VALUE : String(value), count]);
  if (sorted.length > COLOURS)
    names.push([
      `other (${sorted.length - shown.length} values)`,
      points.length - shown.reduce((sum, [, count]) => sum + count, 0),
    ]);
  const at = new Map(shown.map(([value], i) => [value, i]));
  return {
    kind: "values",
    isDate: false,
    bounds: [],
    names,
    of: values.map((value) => at.get(value) ?? COLOURS - 1),
    count: names.length,
  };
}

const RAMP = {
  light: [
    [244, 190, 100],
    [238, 145, 95],
    [214, 90, 110],
    [130, 45, 120],
    [35, 20, 80],
  ],
  dark: [
    [115, 105, 205],
    [165, 90, 175],
    [225, 100, 120],
    [248, 170, 110],
    [253, 235, 180],
  ],
};
/** @param {number} share */
export function ramp(share) {
  const stops = RAMP[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
  const at = Math.max(0, Math.min(0.9999, share)) * (stops.length - 1);
  const i = Math.floor(at);
  return `rgb(${stops[i].map((v, c) => Math.round(v + (at - i) * (stops[i + 1][c] - v))).join(",")})`;
}

class PointMap extends /** @type {any} */ (Scatter) {
  /** @param {Point[]} points @param {any} groups @param {{ labels: number, onpoint: any }} options */
  constructor(points, groups, { labels, onpoint }) {
    const range = (key) =>
      points.reduce(([low, high], p) => [Math.min(low, p[key]), Math.max(high, p[key])], [Infinity, -Infinity]);
    const [left, right] = range("x");
    const [low, high] = range("y");
    const span = Math.max(right - left, high - low) || 1;
    super({
      x: Float32Array.from(points, (p) => (p.x - (left + right) / 2) / span + 0.5),
      y: Float32Array.from(points, (p) => (p.y - (low + high) / 2) / span + 0.5),
      names: points.map((p) => p.name),
      group: Uint8Array.from(groups.of),
      detail: (i) => points[i].detail ?? "",
      theme: () => this.colours(),
      labels,
      square: true,
      round: points.length <= 2000 ? Array.from({ length: groups.count }, () => true) : [],
      onpoint: onpoint && ((i) => onpoint(points[i])),
    });
    this.points = points;
    this.groups = groups;
    /** @type {[number, number][][]} */
    this.lassos = [];
    this.path = /** @type {[number, number][] | null} */ (null);
  }

  colours() {
    const own = palette();
    const colours = Array.from({ length: Math.max(1, this.groups.count) }, (_, g) =>
      this.groups.kind === "gradient"
        ? g === STEPS
          ? colour("edge")
          : ramp((g + 0.5) / STEPS)
        : this.groups.names[g]?.[0] === NO_VALUE
          ? colour("line")
          : this.groups.names.length === COLOURS && g === COLOURS - 1 && this.groups.names[g][0].startsWith("other")
            ? colour("edge")
            : own[g % 8],
    );
    return { ink: colour("ink"), paper: colour("card"), edge: colour("edge"), grid: colour("edge"), colours };
  }

  /** In shares of the axes, which zooming does not change. @param {MouseEvent} event */
  share(event) {
    const [x, y] = this.at(event);
    const { x0, y0, kx, ky } = this.frame();
    return /** @type {[number, number]} */ ([(x - x0) / kx, (y0 - y) / ky]);
  }

  paint() {
    super.paint();
    if (!this.canvas || (!this.lassos?.length && !this.path)) return;
    const c = this.canvas.getContext("2d");
    const { x0, y0, kx, ky } = this.frame();
    [...this.lassos, ...(this.path ? [this.path] : [])].forEach((path, i) => {
      c.beginPath();
      path.forEach(([x, y]) => c.lineTo(x0 + x * kx, y0 - y * ky));
      c.closePath();
      c.strokeStyle = colour(i ? "c1" : "c0");
      c.lineWidth = 2;
      c.setLineDash([6, 4]);
      c.stroke();
      c.setLineDash([]);
      c.globalAlpha = 0.08;
      c.fillStyle = c.strokeStyle;
      c.fill();
      c.globalAlpha = 1;
    });
  }

  /** @param {[number, number][]} path */
  inside(path) {
    const isIn = (px, py) => {
      let inside = false;
      for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
        const [[xi, yi], [xj, yj]] = [path[i], path[j]];
        if (yi > py !== yj > py && px < ((xj - xi) * (py - yi)) / (yj - yi) + xi) inside = !inside;
      }
      return inside;
    };
    return this.points
      .filter((_, i) => !this.hidden.has(this.group[i]) && isIn(this.x[i], this.y[i]))
      .map((one) => one.id);
  }

  /** What is to be seen now, as a picture to keep. */
  svg() {
    const { w, hgt, kx, ky, x0, y0 } = this.frame();
    const svg = /** @type {SVGSVGElement} */ (
      element("svg", { width: w, height: hgt, viewBox: `0 0 ${w} ${hgt}`, "font-size": 12 })
    );
    const { colours } = this.colours();
    this.points.forEach((_, i) => {
      const [x, y] = [x0 + this.x[i] * kx, y0 - this.y[i] * ky];
      if (this.hidden.has(this.group[i]) || x < 0 || x > w || y < 0 || y > hgt) return;
      svg.append(
        element("circle", {
          cx: x.toFixed(1),
          cy: y.toFixed(1),
          r: this.points.length > 5000 ? 1.2 : 4,
          fill: colours[this.group[i]],
          "fill-opacity": 0.75,
        }),
      );
    });
    for (const { left, y, name } of this.placeLabels(this.canvas.getContext("2d")))
      svg.append(element("text", { x: left.toFixed(1), y: (y - 3).toFixed(1) }, name));
    return svg;
  }
}

/** @typedef {[number, number][]} Path a closed line, in shares of the axes */

const NONE = /** @type {Path[]} */ ([]);
/** `onLasso(paths)`: what is drawn now; without it there is no lasso. `onGroups(ids)`: what the lassos hold.
 * @param {{ points: Point[], label: string, name: string, title: string, labels?: number, small?: boolean,
 *   lassos?: Path[], onPoint?: ((point: Point) => void) | null, onLasso?: ((paths: Path[]) => void) | null,
 *   onGroups?: ((ids: string[][]) => void) | null }} drawing */
export function Points({
  points,
  label,
  name,
  title,
  onPoint = null,
  lassos = NONE,
  onLasso = null,
  onGroups = null,
  labels = points.length > CROWD ? 24 : 60,
  small = false,
}) {
  const { index } = usePage();
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const groups = useMemo(() => groupPoints(points), [points]);
  const act = useRef({ onPoint, onLasso });
  act.current = { onPoint, onLasso };
  const map = useMemo(
    () => new PointMap(points, groups, { labels, onpoint: (point) => act.current.onPoint?.(point) }),
    [points],
  );
  const [drawing, setDrawing] = useState(false);
  const [, redraw] = useState(0);
  const mode = useRef(false);
  mode.current = drawing;
  useEffect(() => {
    const place = canvas.current;
    if (!place) return;
    const leave = new AbortController();
    const listen = (type, act, options = {}) =>
      place.addEventListener(type, act, { capture: true, signal: leave.signal, ...options });
    listen("pointerdown", (event) => {
      if (!mode.current) return;
      event.stopImmediatePropagation();
      place.setPointerCapture(event.pointerId);
      map.path = [map.share(event)];
    });
    listen("pointermove", (event) => {
      if (!map.path) return;
      event.stopImmediatePropagation();
      map.path.push(map.share(event));
      map.draw();
    });
    listen("pointerup", (event) => {
      if (!map.path) return;
      event.stopImmediatePropagation();
      const path = map.path;
      const count = path.length > 3 ? map.inside(path).length : 0;
      map.path = null;
      map.draw();
      setDrawing(false);
      say(`${count} in the lasso`);
      if (count) act.current.onLasso?.([...(map.lassos.length > 1 ? [] : map.lassos), path]);
    });
    // The wheel scrolls the page unless the map has the focus.
    listen("wheel", (event) => {
      if (document.activeElement !== place && !event.ctrlKey) event.stopImmediatePropagation();
    });
    map.attach(place);
    map.draw();
    const repaint = () => (map.draw(), redraw((n) => n + 1));
    addEventListener("themechange", repaint, { signal: leave.signal });
    return () => leave.abort();
  }, [map]);
  useEffect(() => {
    map.lassos = lassos;
    map.draw();
    onGroups?.(lassos.map((path) => map.inside(path)));
  }, [map, lassos]);
  const { colours } = map.colours();
  const caption = () => `${title} · ${index} · lexfield, ${new Date().toISOString().slice(0, 10)}`;
  /** @returns {[string, string][]} */
  const legend = () =>
    groups.kind === "gradient"
      ? [0, HALF, STEPS].map((g) => [groups.bounds[g], colours[Math.min(g, STEPS - 1)]])
      : groups.names.map(([text], g) => [text, colours[g]]);
  const lasso = lassos.length === 1 ? "Lasso a second group" : "Lasso";
  const picked = () => alone(map.svg(), caption(), legend());
  const clear = () => onLasso?.([]);
  const picture = html`<canvas
    ref=${canvas}
    key=${points}
    tabindex="0"
    role="img"
    class=${drawing ? "lassoing" : ""}
    aria-label=${`${label}. Plus and minus zoom, arrows move, zero shows all.`}
  ></canvas>`;
  if (small) return html`<div class="map small-map">${picture}</div>`;
  return html`<div class="map">
    <div class="spread">
      <div class="row middle">
        <input type="search" class="map-find" placeholder="Find on the map" aria-label="Find on the map"
          autocomplete="off" onInput=${(event) => say(`${map.find(event.target.value)} found`)}
          onKeyDown=${(event) => event.key === "Enter" && map.found.size && onPoint?.(points[[...map.found][0]])} />
        ${
          onLasso &&
          html`<button type="button" aria-pressed=${String(drawing)}
            onClick=${() => setDrawing(!drawing)}>
              ${drawing ? "Draw around some points" : lasso}</button>
          ${
            lassos.length > 0 &&
            html`<button type="button" class="quiet"
            onClick=${clear}>Remove the lasso</button>`
          }`
        }
      </div>
      <div class="tools">
        <button type="button"
          onClick=${() => addPin({ index, title, figure: asAddress(picked()) })}>Pin</button>
        <button type="button" aria-label=${`Download ${name} as SVG`}
          onClick=${() => save(`${name}.svg`, asSvg(picked()))}>SVG</button>
        <button type="button" aria-label=${`Download ${name} as PNG`}
          onClick=${async () => save(`${name}.png`, await toPng(picked()))}>PNG</button>
        <button type="button" aria-label="Zoom in" onClick=${() => map.scale(1.5)}>+</button>
        <button type="button" aria-label="Zoom out" onClick=${() => map.scale(1 / 1.5)}>−</button>
        <button type="button" onClick=${() => map.reset()}>Whole</button>
      </div>
    </div>
    ${picture}
    ${
      groups.kind === "gradient"
        ? html`<div class="ramp" role="img"
          aria-label=${`Colours from ${groups.bounds[0]} to ${groups.bounds[STEPS]}`}>
          <span>${groups.bounds[0]}</span>${Array.from(
            { length: STEPS },
            (_, i) => html`<i style=${{ background: colours[i] }}></i>`,
          )}<span>${groups.bounds[STEPS]}; half are ${groups.isDate ? "before" : "below"} ${groups.bounds[HALF]}</span>
        </div>`
        : groups.names.length > 1 &&
          html`<div class="legend" role="group" aria-label="Legend; click to hide">
          ${groups.names.map(
            ([text, count], g) =>
              html`<button type="button" aria-pressed=${String(!map.hidden.has(g))}
                onClick=${() => (map.toggle(g), redraw((n) => n + 1))}>
                <i style=${{ background: colours[g] }}></i>${text} <span class="count">${number(count)}</span>
              </button>`,
          )}
        </div>`
    }
  </div>`;
}
