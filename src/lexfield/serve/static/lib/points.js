// @ts-check
// The map: documents or words as points on a canvas, coloured by a field, with a legend and a lasso.
import { useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { Scatter } from "../scatter.js";
import { alone, asAddress, asSvg, colour, element, palette, toPng } from "./chart.js";
import { NO_VALUE, STEPS, groupPoints, nameGroups } from "./groups.js";
import { addPin } from "./pins.js";
import { html, number, save, say, toast, usePage } from "./ui.js";

const CROWD = 400; // points among which many names would hide the others
const HALF = STEPS / 2;

/** @typedef {import("./groups.js").Point} Point */

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
    const place = (p) => [(p.x - (left + right) / 2) / span + 0.5, (p.y - (low + high) / 2) / span + 0.5];
    super({
      x: Float32Array.from(points, (p) => place(p)[0]),
      y: Float32Array.from(points, (p) => place(p)[1]),
      names: points.map((p) => p.name),
      group: Uint8Array.from(groups.of),
      detail: (i) => points[i].detail ?? "",
      theme: () => this.colours(),
      labels,
      square: true,
      captions: nameGroups(points, groups, place),
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
          : this.groups.isOther(g)
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
    const halo = { stroke: colour("card"), "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke" };
    for (const { left, y, name, group } of this.placeLabels(this.canvas.getContext("2d"))) {
      const caption = group === undefined ? {} : { fill: colours[group], "font-size": 14, "font-weight": 600 };
      svg.append(element("text", { x: left.toFixed(1), y: (y - 3).toFixed(1), ...halo, ...caption }, name));
    }
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
      // While the page is busy, the browser joins the corners of a quick line into one event.
      const steps = event.getCoalescedEvents?.() ?? [];
      map.path.push(...(steps.length ? steps : [event]).map((one) => map.share(one)));
      map.draw();
    });
    listen("pointercancel", () => {
      map.path = null;
      map.draw();
    });
    listen("pointerup", (event) => {
      if (!map.path) return;
      event.stopImmediatePropagation();
      const path = [...map.path, map.share(event)];
      const count = path.length > 3 ? map.inside(path).length : 0;
      map.path = null;
      map.draw();
      setDrawing(!count);
      if (!count) return toast("No point is inside. Draw around some.");
      say(`${count} in the lasso`);
      act.current.onLasso?.([...(map.lassos.length > 1 ? [] : map.lassos), path]);
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
