// Named points on a canvas: zoom, drag, hover, find. Used by the pages that lexfield writes, which contain this
// file, and by its server. Fast with 50,000 points: they are drawn as squares, and a grid finds the one under the pointer.
const CELLS = 128, REACH = 12, FEW = 2000, MARGIN = { left: 58, right: 14, top: 12, bottom: 44 }, NONE = { left: 0, right: 0, top: 0, bottom: 0 };
const PLAIN = "12px system-ui, sans-serif", CAPTION = "600 14px system-ui, sans-serif";

export class Scatter {
  // x, y: shares of the axes from 0 to 1; names and groups of points, the most important first. detail(i): shown under
  // the pointer. theme(): { ink, paper, edge, grid, colours }. square: one scale for both axes. axes: [{ label, log, low, high }].
  // round: which groups are circles; by default all points are squares. captions: names of groups, [{ x, y, name, group }].
  constructor({ x, y, names, group, detail, theme, labels = 40, square = false, axes = null, curves = [], onpoint = null, round = [], captions = [] }) {
    Object.assign(this, { x, y, names, group, detail, theme, labels, square, axes, curves, onpoint, round, captions });
    this.margin = axes ? MARGIN : NONE;
    this.hidden = new Set();
    this.found = new Set();
    this.near = -1;
    this.grid = new Map();
    for (let i = x.length - 1; i >= 0; i--) {
      const key = Math.floor(x[i] * CELLS) * 4096 + Math.floor(y[i] * CELLS);
      (this.grid.get(key) ?? this.grid.set(key, []).get(key)).push(i);
    }
    this.reset();
  }

  attach(canvas) {
    this.canvas = canvas;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  reset() { this.zoom = 1; this.cx = .5; this.cy = .5; this.draw(); }
  toggle(key) { this.hidden.has(key) ? this.hidden.delete(key) : this.hidden.add(key); this.draw(); return !this.hidden.has(key); }

  // A share is at x0 + share * kx, y0 - share * ky.
  frame() {
    const { clientWidth: w, clientHeight: hgt } = this.canvas, m = this.margin;
    const wide = w - m.left - m.right, high = hgt - m.top - m.bottom, side = Math.min(wide, high);
    const kx = (this.square ? side : wide) * .94 * this.zoom, ky = (this.square ? side : high) * .94 * this.zoom;
    return { w, hgt, wide, high, kx, ky, x0: m.left + wide / 2 - this.cx * kx, y0: m.top + high / 2 + this.cy * ky };
  }
  pixel(i) { const { x0, y0, kx, ky } = this.frame(); return [x0 + this.x[i] * kx, y0 - this.y[i] * ky]; }

  draw() {
    if (this.waiting || !this.canvas) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const { w, hgt, wide, high, kx, ky, x0, y0 } = this.frame(), ratio = devicePixelRatio || 1, m = this.margin;
    if (!w) return;
    const sizes = [Math.round(w * ratio), Math.round(hgt * ratio)];
    if (this.canvas.width !== sizes[0] || this.canvas.height !== sizes[1]) [this.canvas.width, this.canvas.height] = sizes;
    const c = this.canvas.getContext("2d"), theme = this.theme();
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, hgt);
    c.font = PLAIN;
    if (this.axes) this.paintAxes(c, theme);
    c.save();
    c.beginPath(); c.rect(m.left, m.top, wide, high); c.clip();
    const n = this.x.length, r = Math.min(6, (n > 5000 ? 1.1 : n > 300 ? 2 : 4) * this.zoom ** .25 + .2);
    c.globalAlpha = this.found.size ? .18 : .72;
    theme.colours.forEach((colour, g) => {
      if (this.hidden.has(g)) return;
      c.fillStyle = colour;
      for (let i = n - 1; i >= 0; i--) {
        if (this.group[i] !== g) continue;
        const x = x0 + this.x[i] * kx, y = y0 - this.y[i] * ky;
        if (x < -6 || x > w + 6 || y < -6 || y > hgt + 6) continue;
        if (!this.round[g]) c.fillRect(x - r, y - r, 2 * r, 2 * r);
        else { c.beginPath(); c.arc(x, y, r * 1.1, 0, 7); c.fill(); }
      }
    });
    c.globalAlpha = 1;
    this.curves.forEach((curve, i) => {
      if (this.hidden.has(`curve${i}`)) return;
      c.strokeStyle = curve.colour; c.lineWidth = 2; c.beginPath();
      curve.x.forEach((x, j) => c.lineTo(x0 + x * kx, y0 - curve.y[j] * ky));
      c.stroke();
    });
    const isCrowd = n > FEW;
    for (const { i, x, y, left, name, wide: size, group } of this.placeLabels(c)) {
      if (group !== undefined) c.font = CAPTION;
      if (isCrowd) { c.globalAlpha = .72; c.fillStyle = theme.paper; c.fillRect(left - 2, y - 14, size + 4, 15); c.globalAlpha = 1; }
      if (this.found.size) { c.fillStyle = theme.colours[this.group[i]]; c.beginPath(); c.arc(x, y, r + 3, 0, 7); c.fill(); }
      c.lineWidth = 3; c.lineJoin = "round"; c.strokeStyle = theme.paper; c.strokeText(name, left, y - 3);
      c.fillStyle = group === undefined ? theme.ink : theme.colours[group]; c.fillText(name, left, y - 3);
      c.font = PLAIN;
    }
    c.restore();
    if (this.near >= 0) this.paintTip(c, theme);
  }

  // Names that do not overlap, the most important first: to the right of their point, or to the left; if there are few
  // points, they do not cover these either.
  placeLabels(c) {
    const { w, hgt, kx, ky, x0, y0 } = this.frame(), taken = [], out = [], marks = [];
    const most = Math.max(16, Math.min(45, Math.round(w / 18))); // letters; on a phone there is room for few
    if (this.x.length <= FEW) this.x.forEach((x, i) => { if (!this.hidden.has(this.group[i])) marks.push([i, x0 + x * kx, y0 - this.y[i] * ky]); });
    const isFree = (box, own) => box[0] >= this.margin.left && box[2] <= w
      && !taken.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])
      && !marks.some(([i, x, y]) => i !== own && x > box[0] - 2 && x < box[2] + 2 && y > box[1] - 3 && y < box[3] + 6);
    c.font = CAPTION;
    for (const { x: sx, y: sy, name, group } of this.found.size ? [] : this.captions) {
      if (this.hidden.has(group)) continue;
      const wide = c.measureText(name).width, left = x0 + sx * kx - wide / 2, y = y0 - sy * ky;
      const at = [y + 6, y - 12, y + 24, y - 26].find((at) => at > 16 && at < hgt && isFree([left - 2, at - 15, left + wide + 4, at + 3], -1));
      if (at === undefined && marks.length) continue; // among few points it covers none
      const place = at ?? y + 6, box = [left - 2, place - 15, left + wide + 4, place + 3];
      if (place < 16 || place > hgt || !isFree(box, -1)) continue;
      taken.push(box);
      out.push({ i: -1, x: 0, y: place, left, name, wide, group });
    }
    c.font = PLAIN;
    const captions = out.length;
    for (const i of this.found.size ? this.found : this.x.keys()) {
      if (out.length - captions >= (this.found.size ? 200 : this.labels)) break;
      if (this.hidden.has(this.group[i])) continue;
      const x = x0 + this.x[i] * kx, y = y0 - this.y[i] * ky;
      if (x < this.margin.left || x > w || y < 12 || y > hgt) continue;
      const full = this.names[i], name = full.length > most ? `${full.slice(0, most - 1)}…` : full, wide = c.measureText(name).width;
      const left = [x + 6, x - 6 - wide].find((at) => isFree([at - 2, y - 15, at + wide + 4, y + 3], i));
      if (left === undefined) continue;
      taken.push([left - 2, y - 15, left + wide + 4, y + 3]);
      out.push({ i, x, y, left, name, wide });
    }
    return out;
  }

  paintTip(c, theme) {
    const { w } = this.frame(), [x, y] = this.pixel(this.near);
    const lines = [this.names[this.near].slice(0, 90), this.detail(this.near)].filter(Boolean);
    const wide = Math.max(...lines.map((line) => c.measureText(line).width)) + 16, high = 10 + 17 * lines.length;
    const left = Math.max(2, Math.min(x + 12, w - wide - 4)), top = Math.max(2, y - high - 8);
    c.strokeStyle = theme.ink; c.lineWidth = 1.5; c.beginPath(); c.arc(x, y, 7, 0, 7); c.stroke();
    c.fillStyle = theme.paper; c.fillRect(left, top, wide, high);
    c.strokeStyle = theme.edge; c.lineWidth = 1; c.strokeRect(left, top, wide, high);
    c.fillStyle = theme.ink; lines.forEach((line, j) => c.fillText(line, left + 8, top + 17 + 17 * j));
  }

  paintAxes(c, theme) {
    const { hgt, wide, high, kx, ky, x0, y0 } = this.frame(), m = this.margin, [ax, ay] = this.axes;
    c.strokeStyle = theme.grid; c.fillStyle = theme.ink; c.lineWidth = 1;
    const line = (x1, y1, x2, y2) => { c.beginPath(); c.moveTo(x1, y1); c.lineTo(x2, y2); c.stroke(); };
    c.textAlign = "center";
    for (const [share, text] of ticks(ax, (m.left - x0) / kx, (m.left + wide - x0) / kx)) {
      const x = x0 + share * kx;
      line(x, m.top, x, m.top + high);
      c.fillText(text, x, hgt - 26);
    }
    c.fillText(ax.label, m.left + wide / 2, hgt - 8);
    c.save(); c.translate(14, m.top + high / 2); c.rotate(-Math.PI / 2); c.fillText(ay.label, 0, 0); c.restore();
    c.textAlign = "right";
    for (const [share, text] of ticks(ay, (y0 - m.top - high) / ky, (y0 - m.top) / ky)) {
      const y = y0 - share * ky;
      line(m.left, y, m.left + wide, y);
      c.fillText(text, m.left - 6, y + 4);
    }
    c.textAlign = "left";
  }

  // dx, dy: pixels from the middle that keep their place
  scale(factor, dx = 0, dy = 0) {
    const before = this.frame();
    this.zoom = Math.max(.5, Math.min(600, this.zoom * factor));
    const after = this.frame();
    this.cx += dx * (1 / before.kx - 1 / after.kx);
    this.cy -= dy * (1 / before.ky - 1 / after.ky);
    this.draw();
  }

  move(dx, dy) {
    const { kx, ky } = this.frame();
    this.cx -= dx / kx; this.cy += dy / ky;
    this.draw();
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  hover(event) {
    const [x, y] = this.at(event), { kx, ky, x0, y0 } = this.frame(), px = (x - x0) / kx, py = (y0 - y) / ky;
    const [sx, sy] = [kx, ky].map((k) => Math.min(CELLS, Math.ceil(REACH / k * CELLS)));
    const gx = Math.floor(px * CELLS), gy = Math.floor(py * CELLS);
    let best = REACH * REACH, near = -1;
    for (let a = gx - sx; a <= gx + sx; a++) for (let b = gy - sy; b <= gy + sy; b++)
      for (const i of this.grid.get(a * 4096 + b) ?? []) {
        if (this.hidden.has(this.group[i])) continue;
        const gap = ((this.x[i] - px) * kx) ** 2 + ((this.y[i] - py) * ky) ** 2;
        if (gap <= best) { best = gap; near = i; }
      }
    if (near !== this.near) { this.near = near; this.draw(); }
  }

  listen() {
    const canvas = this.canvas, pointers = new Map();
    let moved = 0;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = this.at(event), { wide, high } = this.frame();
      this.scale(Math.exp(-event.deltaY * .0015), x - this.margin.left - wide / 2, y - this.margin.top - high / 2);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, event); moved = 0; canvas.setPointerCapture(event.pointerId); });
    const up = (event) => {
      if (pointers.delete(event.pointerId) && moved < 4 && event.type === "pointerup") { this.hover(event); if (this.near >= 0) this.onpoint?.(this.near); }
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return this.hover(event);
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
      if (other) {
        const gap = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY) || 1;
        this.scale(gap(event) / gap(before));
      } else this.move(dx, dy);
      moved += Math.hypot(dx, dy);
      pointers.set(event.pointerId, event);
    });
    canvas.addEventListener("pointerleave", () => { this.near = -1; this.draw(); });
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
      if (event.key in moves) this.move(...moves[event.key]);
      else if (event.key === "+" || event.key === "=") this.scale(1.4);
      else if (event.key === "-") this.scale(1 / 1.4);
      else if (event.key === "0") this.reset();
      else return;
      event.preventDefault();
    });
  }

  // Mark the points whose names begin so; return how many there are.
  find(text) {
    const part = text.trim().toLowerCase();
    this.found = new Set();
    if (part) for (let i = 0; i < this.names.length && this.found.size < 300; i++) if (this.names[i].toLowerCase().startsWith(part)) this.found.add(i);
    this.draw();
    return this.found.size;
  }
}

// Shares between two others, with the text of each; the values of a logarithmic axis are powers of ten.
function ticks(axis, from, to) {
  const reach = axis.high - axis.low || 1, low = axis.low + from * reach, high = axis.low + to * reach, values = [];
  const show = (value) => value >= 1000 ? Math.round(value).toLocaleString("en") : String(+value.toPrecision(3));
  if (axis.log) {
    for (let p = Math.floor(low); p <= high; p++)
      for (const f of high - low < 2.2 ? [1, 2, 5] : [1]) values.push([p + Math.log10(f), show(f * 10 ** p)]);
  } else {
    const step = 10 ** Math.floor(Math.log10((high - low) / 4));
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) values.push([v, show(v)]);
  }
  return values.filter(([v]) => v >= low && v <= high).map(([v, text]) => [(v - axis.low) / reach, text]);
}
