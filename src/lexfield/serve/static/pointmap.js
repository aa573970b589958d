// Named points on a canvas: zoom, drag, hover, find. Smooth with 50,000: points are drawn as squares
// into one picture a frame, and the one under the pointer is found by a grid.
import { h, number, save, say } from "./dom.js";
import { canvas as sheet, downloads, s } from "./chart.js";

const CELLS = 128;

export class PointMap {
  // points: [{ x, y, name, group, detail }], the most important first
  constructor(points, { label, name, onpoint = null, labels = 40 }) {
    Object.assign(this, { points, label, name, onpoint, labels, hidden: new Set(), found: new Set(), near: -1 });
    const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
    const [left, right, low, high] = [xs, xs, ys, ys].map((list, i) => list.reduce((a, b) => i % 2 ? Math.max(a, b) : Math.min(a, b), i % 2 ? -Infinity : Infinity));
    const span = Math.max(right - left, high - low) || 1;
    this.x = Float32Array.from(xs, (v) => (v - (left + right) / 2) / span + .5);
    this.y = Float32Array.from(ys, (v) => (v - (low + high) / 2) / span + .5);
    this.groups = [...new Set(points.map((p) => p.group))].filter((g) => g !== undefined);
    const order = ["noun", "verb", "adjective", "adverb", "pronoun", "other"];
    this.groups.sort((a, b) => (order.indexOf(a) - order.indexOf(b)) || String(a).localeCompare(String(b)));
    this.group = Uint8Array.from(points, (p) => Math.max(0, this.groups.indexOf(p.group)));
    this.grid = new Map();
    for (let i = points.length - 1; i >= 0; i--) {
      const key = this.cell(this.x[i], this.y[i]);
      (this.grid.get(key) ?? this.grid.set(key, []).get(key)).push(i);
    }
    this.reset();
  }

  cell(x, y) { return Math.floor(x * CELLS) * 4096 + Math.floor(y * CELLS); }
  reset() { this.zoom = 1; this.cx = .5; this.cy = .5; }

  element() {
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `${this.label}. Plus and minus zoom, arrows move, zero goes back.` });
    const find = h("input", { type: "search", placeholder: "find", "aria-label": "Find on the map", autocomplete: "off", oninput: () => this.find(find.value) });
    find.style.maxWidth = "11rem";
    const legend = h("div", { class: "legend" }, this.groups.length > 1 ? this.groups.map((group, i) => {
      const count = this.group.reduce((sum, g) => sum + (g === i), 0);
      const button = h("button", { type: "button", "aria-pressed": "true", onclick: () => { this.hidden.has(i) ? this.hidden.delete(i) : this.hidden.add(i); button.setAttribute("aria-pressed", String(!this.hidden.has(i))); this.draw(); } },
        h("span", { class: "dot", style: { background: `var(--c${i % 8})` } }), `${group || "none"} (${number(count)})`);
      return button;
    }) : null);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    addEventListener("themechange", () => this.draw());
    return h("div", { class: "map" }, h("div", { class: "spread" }, h("div", { class: "row middle" }, find, legend), h("div", { class: "tools" }, downloads(this.name, () => this.svg()),
      h("button", { type: "button", onclick: () => this.scale(1.5, 0, 0), "aria-label": "Zoom in" }, "+"), h("button", { type: "button", onclick: () => this.scale(1 / 1.5, 0, 0), "aria-label": "Zoom out" }, "−"), h("button", { type: "button", onclick: () => { this.reset(); this.draw(); } }, "Whole"))), this.canvas,
    h("p", { class: "small" }, "Wheel or pinch to zoom, drag to move; click the legend to hide."));
  }

  size() { return { w: this.canvas.clientWidth, hgt: this.canvas.clientHeight }; }
  frame() {
    const { w, hgt } = this.size(), k = Math.min(w, hgt) * .94 * this.zoom;
    return { w, hgt, k, x0: w / 2 - this.cx * k, y0: hgt / 2 + this.cy * k };
  }

  draw() {
    if (this.waiting || !this.canvas) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const { w, hgt, k, x0, y0 } = this.frame(), ratio = devicePixelRatio || 1;
    if (!w) return;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(hgt * ratio)) { this.canvas.width = Math.round(w * ratio); this.canvas.height = Math.round(hgt * ratio); }
    const c = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, hgt);
    const r = Math.min(6, (this.points.length > 5000 ? 1.1 : this.points.length > 300 ? 2 : 4) * this.zoom ** .25 + .2);
    c.globalAlpha = this.found.size ? .18 : .72;
    for (let g = 0; g < Math.max(1, this.groups.length); g++) {
      if (this.hidden.has(g)) continue;
      c.fillStyle = colour(`--c${g % 8}`);
      for (let i = this.x.length - 1; i >= 0; i--) {
        if (this.group[i] !== g) continue;
        const x = x0 + this.x[i] * k, y = y0 - this.y[i] * k;
        if (x > -6 && x < w + 6 && y > -6 && y < hgt + 6) c.fillRect(x - r, y - r, 2 * r, 2 * r);
      }
    }
    c.globalAlpha = 1;
    c.font = "12px system-ui, sans-serif";
    for (const { i, x, y, name } of this.placed(c)) {
      if (this.found.size) { c.fillStyle = colour(`--c${this.group[i] % 8}`); c.beginPath(); c.arc(x, y, r + 3, 0, 7); c.fill(); }
      c.lineWidth = 3; c.lineJoin = "round"; c.strokeStyle = colour("--card"); c.strokeText(name, x + 6, y - 3);
      c.fillStyle = colour("--ink"); c.fillText(name, x + 6, y - 3);
    }
    if (this.near >= 0) this.tip(c, colour);
  }

  // Names that do not overlap, the most important first.
  placed(c) {
    const { w, hgt, k, x0, y0 } = this.frame(), taken = [], out = [];
    for (const i of this.found.size ? this.found : this.x.keys()) {
      if (out.length >= (this.found.size ? 200 : this.labels)) break;
      if (this.hidden.has(this.group[i])) continue;
      const x = x0 + this.x[i] * k, y = y0 - this.y[i] * k;
      if (x < 0 || x > w || y < 12 || y > hgt) continue;
      const name = this.points[i].name.slice(0, 40), box = [x + 4, y - 15, x + 10 + c.measureText(name).width, y + 3];
      if (box[2] > w || taken.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])) continue;
      taken.push(box);
      out.push({ i, x, y, name });
    }
    return out;
  }

  tip(c, colour) {
    const { w, k, x0, y0 } = this.frame(), point = this.points[this.near];
    const x = x0 + this.x[this.near] * k, y = y0 - this.y[this.near] * k;
    const lines = [point.name.slice(0, 80), point.detail ?? ""].filter(Boolean);
    const wide = Math.max(...lines.map((line) => c.measureText(line).width)) + 16, high = 10 + 17 * lines.length;
    const left = Math.max(2, Math.min(x + 12, w - wide - 4)), top = Math.max(2, y - high - 8);
    c.strokeStyle = colour("--ink"); c.lineWidth = 1.5; c.beginPath(); c.arc(x, y, 7, 0, 7); c.stroke();
    c.fillStyle = colour("--card"); c.fillRect(left, top, wide, high); c.strokeStyle = colour("--edge"); c.lineWidth = 1; c.strokeRect(left, top, wide, high);
    c.fillStyle = colour("--ink"); lines.forEach((line, j) => c.fillText(line, left + 8, top + 17 + 17 * j));
  }

  scale(factor, dx, dy) {
    const before = this.frame();
    this.zoom = Math.max(.5, Math.min(600, this.zoom * factor));
    const k = Math.min(before.w, before.hgt) * .94 * this.zoom;
    this.cx += dx * (1 / before.k - 1 / k); this.cy -= dy * (1 / before.k - 1 / k);
    this.draw();
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  hover(event) {
    const [x, y] = this.at(event), { k, x0, y0 } = this.frame(), reach = 12 / k;
    const px = (x - x0) / k, py = (y0 - y) / k, steps = Math.min(CELLS, Math.ceil(reach * CELLS));
    let best = reach * reach, near = -1;
    const gx = Math.floor(px * CELLS), gy = Math.floor(py * CELLS);
    for (let a = gx - steps; a <= gx + steps; a++) for (let b = gy - steps; b <= gy + steps; b++)
      for (const i of this.grid.get(a * 4096 + b) ?? []) {
        if (this.hidden.has(this.group[i])) continue;
        const gap = (this.x[i] - px) ** 2 + (this.y[i] - py) ** 2;
        if (gap <= best) { best = gap; near = i; }
      }
    if (near !== this.near) { this.near = near; this.draw(); }
  }

  listen() {
    const pointers = new Map();
    let moved = 0;
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = this.at(event), { w, hgt } = this.size();
      this.scale(Math.exp(-event.deltaY * .0015), x - w / 2, y - hgt / 2);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, event); moved = 0; canvas.setPointerCapture(event.pointerId); });
    const up = (event) => {
      if (pointers.delete(event.pointerId) && moved < 4 && event.type === "pointerup") { this.hover(event); if (this.near >= 0) this.onpoint?.(this.points[this.near]); }
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return this.hover(event);
      const others = [...pointers.values()].filter((one) => one.pointerId !== event.pointerId);
      if (others.length) {
        const gap = (a) => Math.hypot(a.clientX - others[0].clientX, a.clientY - others[0].clientY) || 1;
        this.scale(gap(event) / gap(before), 0, 0);
      } else {
        const { k } = this.frame();
        this.cx -= (event.clientX - before.clientX) / k; this.cy += (event.clientY - before.clientY) / k;
      }
      moved += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
      pointers.set(event.pointerId, event);
      this.draw();
    });
    canvas.addEventListener("pointerleave", () => { this.near = -1; this.draw(); });
    canvas.addEventListener("dblclick", () => { this.reset(); this.draw(); });
    canvas.addEventListener("keydown", (event) => {
      const { k } = this.frame(), step = 60 / k;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      if (event.key in moves) { this.cx += moves[event.key][0]; this.cy += moves[event.key][1]; this.draw(); }
      else if (event.key === "+" || event.key === "=") this.scale(1.4, 0, 0);
      else if (event.key === "-") this.scale(1 / 1.4, 0, 0);
      else if (event.key === "0") { this.reset(); this.draw(); }
      else return;
      event.preventDefault();
    });
  }

  find(text) {
    const part = text.trim().toLowerCase();
    this.found = new Set();
    if (part) for (let i = 0; i < this.points.length && this.found.size < 300; i++) if (this.points[i].name.toLowerCase().startsWith(part)) this.found.add(i);
    say(part ? `${this.found.size} found` : "");
    this.draw();
  }

  // What is to be seen now, as a picture to keep.
  svg() {
    const { w, hgt, k, x0, y0 } = this.frame(), svg = sheet(w, hgt, this.label), dots = this.groups.map((_, g) => s("g", { fill: `var(--c${g % 8})`, "fill-opacity": .72 }));
    if (!dots.length) dots.push(s("g", { fill: "var(--c0)", "fill-opacity": .72 }));
    for (let i = this.x.length - 1; i >= 0; i--) {
      const x = x0 + this.x[i] * k, y = y0 - this.y[i] * k;
      if (this.hidden.has(this.group[i]) || x < 0 || x > w || y < 0 || y > hgt) continue;
      dots[this.group[i]].append(s("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: this.points.length > 5000 ? 1.2 : 3 }));
    }
    for (const dot of dots) svg.append(dot);
    const c = this.canvas.getContext("2d");
    for (const { x, y, name } of this.placed(c)) svg.append(s("text", { x: (x + 6).toFixed(1), y: (y - 3).toFixed(1) }, name));
    return svg;
  }
}
