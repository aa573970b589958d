// @ts-check
// Figures by Observable Plot, which is loaded with the first of them; each can be saved with its title and source.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { addPin } from "./pins.js";
import { Trouble, html, save, usePage } from "./ui.js";

/** @type {Promise<any> | null} */
let loading = null;
/** @param {string} source */
const script = (source) =>
  new Promise((resolve, reject) => {
    const tag = document.createElement("script");
    tag.src = source;
    tag.onload = resolve;
    tag.onerror = () => {
      tag.remove();
      loading = null;
      reject(new Error("The drawing library could not be loaded. Load the page again."));
    };
    document.head.append(tag);
  });
export function loadPlot() {
  loading ??= script("/static/vendor/d3.min.js")
    .then(() => script("/static/vendor/plot.umd.min.js"))
    .then(() => /** @type {any} */ (window).Plot);
  return loading;
}

/** @param {string} name */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
export const palette = () => Array.from({ length: 8 }, (_, i) => colour(`c${i}`));

/** @typedef {{ title: string, label: string, name: string, draw: (Plot: any, width: number) => object, deps: any[],
 *   onPoint?: ((datum: any) => void) | null, data?: any[], x?: ((datum: any) => any) | null,
 *   y?: ((datum: any) => any) | null,
 *   children?: any, tools?: any, pin?: boolean,
 *   legend?: [string, string][] }} Drawing */

/** A figure. `draw(Plot, width)` returns the options of a plot. `onPoint(datum)`: what a click or Enter on a mark
 * does; `data`: the marks in the order in which arrow keys visit them; `x`, `y`: where they are.
 * @param {Drawing} drawing */
export function Figure({
  title,
  label,
  name,
  draw,
  deps,
  onPoint = null,
  data = [],
  x = null,
  y = null,
  children = null,
  tools = null,
  legend = [],
  pin = true,
}) {
  const { index } = usePage();
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const svg = useRef(/** @type {any} */ (null));
  const at = useRef(-1);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [width, setWidth] = useState(0);
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width / 8) * 8));
    if (place.current) watch.observe(place.current);
    const repaint = () => setTheme((n) => n + 1);
    addEventListener("themechange", repaint);
    return () => {
      watch.disconnect();
      removeEventListener("themechange", repaint);
    };
  }, []);
  useEffect(() => {
    if (!width) return;
    let gone = false;
    loadPlot().then(
      (Plot) => {
        if (gone || !place.current) return;
        const made = Plot.plot({
          width,
          marginBottom: 42,
          style: { background: "transparent", fontSize: "12px" },
          ...draw(Plot, width),
        });
        made.setAttribute("role", "img");
        made.setAttribute("aria-label", label);
        made.querySelectorAll("g[aria-label]").forEach((group) => group.removeAttribute("aria-label")); // one image
        svg.current = made;
        at.current = -1;
        if (onPoint) made.addEventListener("click", () => made.value && onPoint(made.value));
        place.current.replaceChildren(made);
      },
      (error) => setProblem(error),
    );
    return () => (gone = true);
  }, [width, theme, ...deps]);
  const visit = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && data[at.current]) return onPoint?.(data[at.current]);
    if (!step || !data.length || !svg.current) return;
    event.preventDefault();
    at.current = Math.max(0, Math.min(data.length - 1, at.current + step));
    const one = data[at.current];
    const box = svg.current.getBoundingClientRect();
    const scale = box.width / Number(svg.current.getAttribute("width"));
    const middle = (axis, value) => axis.apply(value) + (axis.bandwidth ? axis.bandwidth / 2 : 0);
    const where = {
      clientX: box.left + scale * (x ? middle(svg.current.scale("x"), x(one)) : 40),
      clientY: box.top + scale * (y ? middle(svg.current.scale("y"), y(one)) : 40),
    };
    svg.current.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerType: "mouse", ...where }));
  };
  const caption = () => `${title} · ${index} · lexfield, ${new Date().toISOString().slice(0, 10)}`;
  const keep = () =>
    addPin({
      index: index ?? "",
      title,
      figure: asAddress(alone(svg.current, caption(), legend)),
    });
  return html`<figure class="figure">
    <div class="spread">
      <figcaption>${title}</figcaption>
      <div class="tools">
        ${tools} ${pin && html`<button type="button" onClick=${() => svg.current && keep()}>Pin</button>`}
        <button
          type="button"
          aria-label=${`Download ${name} as SVG`}
          onClick=${() => svg.current && save(`${name}.svg`, asSvg(alone(svg.current, caption(), legend)))}
        >
          SVG
        </button>
        <button
          type="button"
          aria-label=${`Download ${name} as PNG`}
          onClick=${async () => svg.current && save(`${name}.png`, await toPng(alone(svg.current, caption(), legend)))}
        >
          PNG
        </button>
      </div>
    </div>
    <${Trouble} problem=${problem} />
    <div
      class="plot ${onPoint ? "clickable" : ""}"
      ref=${place}
      tabindex=${onPoint ? 0 : undefined}
      role=${onPoint ? "group" : undefined}
      aria-label=${onPoint ? `${label}. Arrow keys move from mark to mark, Enter opens one.` : undefined}
      onKeyDown=${onPoint ? visit : undefined}
    ></div>
    ${
      legend.length > 0 &&
      html`<div class="legend still">
        ${legend.map(([name, tint]) => html`<span><i style=${{ background: tint }}></i>${name}</span>`)}
      </div>`
    }
    ${children}
  </figure>`;
}

/** @param {string} text */
export const asSvg = (text) => new Blob([text], { type: "image/svg+xml" });
/** @param {string} text */
export const asAddress = (text) => `data:image/svg+xml;base64,${encode(text)}`;
const encode = (text) => btoa(Array.from(new TextEncoder().encode(text), (one) => String.fromCharCode(one)).join(""));

/** A picture by itself: colours by their value, on paper, with a line that says what it is and where it is from.
 * @param {SVGSVGElement} svg @param {string} caption @param {[string, string][]} legend names and colours */
export function alone(svg, caption, legend = []) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const width = Number(svg.getAttribute("width"));
  const height = Number(svg.getAttribute("height"));
  const style = getComputedStyle(document.documentElement);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "system-ui, sans-serif");
  copy.setAttribute("fill", colour("ink"));
  copy.setAttribute("color", colour("ink"));
  copy.querySelectorAll("style, [aria-label=tip]").forEach((one) => one.remove());
  const lines = foldLegend(legend, width);
  const high = height + 26 + 18 * lines.length;
  copy.setAttribute("height", String(high));
  copy.setAttribute("viewBox", `0 0 ${width} ${high}`);
  const plain = { "text-anchor": "start", "font-size": 11, transform: "translate(0,0)" };
  copy.prepend(element("rect", { width: "100%", height: "100%", fill: colour("card") }));
  lines.forEach((line, i) => {
    for (const { name, tint, x } of line) {
      const y = height + 14 + 18 * i;
      copy.append(element("circle", { cx: x + 5, cy: y - 4, r: 4, fill: tint, stroke: "none" }));
      copy.append(element("text", { ...plain, x: x + 14, y, fill: colour("ink") }, name));
    }
  });
  copy.append(element("text", { ...plain, x: 4, y: high - 9, fill: colour("soft") }, caption));
  return new XMLSerializer()
    .serializeToString(copy)
    .replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
}

/** @param {string} tag @param {Record<string, any>} values */
export function element(tag, values, text = "") {
  const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(values)) one.setAttribute(name, String(value));
  one.textContent = text;
  return one;
}

/** The names of a legend in lines that fit. @param {[string, string][]} legend @param {number} width */
function foldLegend(legend, width) {
  /** @type {{ name: string, tint: string, x: number }[][]} */
  const lines = [];
  let x = width;
  for (const [name, tint] of legend) {
    const wide = 30 + 6.4 * name.length;
    if (x + wide > width) {
      lines.push([]);
      x = 4;
    }
    lines[lines.length - 1].push({ name, tint, x });
    x += wide;
  }
  return lines;
}

/** @param {string} source @returns {Promise<Blob>} */
export async function toPng(source) {
  const picture = new Image();
  const url = URL.createObjectURL(new Blob([source], { type: "image/svg+xml" }));
  await new Promise((resolve, reject) => {
    picture.onload = resolve;
    picture.onerror = reject;
    picture.src = url;
  });
  const sheet = document.createElement("canvas");
  sheet.width = 2 * picture.width;
  sheet.height = 2 * picture.height;
  sheet.getContext("2d")?.drawImage(picture, 0, 0, sheet.width, sheet.height);
  URL.revokeObjectURL(url);
  return new Promise((resolve) => sheet.toBlob((blob) => resolve(/** @type {Blob} */ (blob)), "image/png"));
}
