// The scatter of lexfield.plots with the page's legend, colours and downloads.
import { h, number, say } from "./dom.js";
import { canvas as sheet, downloads, s } from "./chart.js";
import { Scatter } from "./scatter.js";

const ORDER = ["noun", "verb", "adjective", "adverb", "pronoun", "other"];

export class PointMap extends Scatter {
  // points: [{ x, y, name, group, detail }], the most important first
  constructor(points, { label, name, onpoint = null, labels = 40 }) {
    const range = (key) => points.reduce(([low, high], p) => [Math.min(low, p[key]), Math.max(high, p[key])], [Infinity, -Infinity]);
    const [left, right] = range("x"), [low, high] = range("y"), span = Math.max(right - left, high - low) || 1;
    const groups = [...new Set(points.map((p) => p.group))].filter((g) => g !== undefined);
    groups.sort((a, b) => (ORDER.indexOf(a) - ORDER.indexOf(b)) || String(a).localeCompare(String(b)));
    super({
      x: Float32Array.from(points, (p) => (p.x - (left + right) / 2) / span + .5),
      y: Float32Array.from(points, (p) => (p.y - (low + high) / 2) / span + .5),
      names: points.map((p) => p.name), group: Uint8Array.from(points, (p) => Math.max(0, groups.indexOf(p.group))),
      detail: (i) => points[i].detail ?? "", theme: () => this.colours(), labels, square: true, onpoint: onpoint && ((i) => onpoint(points[i])),
    });
    Object.assign(this, { points, label, name, groups });
  }

  colours() {
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    const colours = Array.from({ length: Math.max(1, this.groups.length) }, (_, g) => colour(`--c${g % 8}`));
    return { ink: colour("--ink"), paper: colour("--card"), edge: colour("--edge"), grid: colour("--edge"), colours };
  }

  element() {
    const canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `${this.label}. Plus and minus zoom, arrows move, zero goes back.` });
    const find = h("input", { type: "search", placeholder: "find", "aria-label": "Find on the map", autocomplete: "off", oninput: () => { const count = this.find(find.value); say(find.value.trim() ? `${count} found` : ""); } });
    find.style.maxWidth = "11rem";
    const legend = h("div", { class: "legend" }, this.groups.length > 1 ? this.groups.map((group, i) => {
      const count = this.group.reduce((sum, g) => sum + (g === i), 0);
      const button = h("button", { type: "button", "aria-pressed": "true", onclick: () => button.setAttribute("aria-pressed", String(this.toggle(i))) },
        h("span", { class: "dot", style: { background: `var(--c${i % 8})` } }), `${group || "none"} (${number(count)})`);
      return button;
    }) : null);
    this.attach(canvas);
    addEventListener("themechange", () => this.draw());
    return h("div", { class: "map" }, h("div", { class: "spread" }, h("div", { class: "row middle" }, find, legend), h("div", { class: "tools" }, downloads(this.name, () => this.svg()),
      h("button", { type: "button", onclick: () => this.scale(1.5), "aria-label": "Zoom in" }, "+"), h("button", { type: "button", onclick: () => this.scale(1 / 1.5), "aria-label": "Zoom out" }, "−"), h("button", { type: "button", onclick: () => this.reset() }, "Whole"))), canvas,
    h("p", { class: "small" }, "Wheel or pinch to zoom, drag to move; click the legend to hide."));
  }

  // What is to be seen now, as a picture to keep.
  svg() {
    const { w, hgt, kx, ky, x0, y0 } = this.frame(), svg = sheet(w, hgt, this.label), dots = this.groups.map((_, g) => s("g", { fill: `var(--c${g % 8})`, "fill-opacity": .72 }));
    if (!dots.length) dots.push(s("g", { fill: "var(--c0)", "fill-opacity": .72 }));
    for (let i = this.x.length - 1; i >= 0; i--) {
      const x = x0 + this.x[i] * kx, y = y0 - this.y[i] * ky;
      if (this.hidden.has(this.group[i]) || x < 0 || x > w || y < 0 || y > hgt) continue;
      dots[this.group[i]].append(s("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: this.points.length > 5000 ? 1.2 : 3 }));
    }
    for (const dot of dots) svg.append(dot);
    const c = this.canvas.getContext("2d");
    for (const { x, y, name } of this.placeLabels(c)) svg.append(s("text", { x: (x + 6).toFixed(1), y: (y - 3).toFixed(1) }, name));
    return svg;
  }
}
