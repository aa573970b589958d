// Figures as SVG, drawn at the width there is, that can be kept as SVG or PNG.
import { h, number, save } from "./dom.js";

const NS = "http://www.w3.org/2000/svg";
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}

export const widthOf = (place) => Math.round(Math.max(280, Math.min(place.clientWidth || innerWidth - 60, 1100)));
export const canvas = (width, height, label, role = "img") => s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role, "aria-label": label, "font-family": "system-ui, sans-serif", "font-size": 12, fill: "var(--ink)" });

// A picture by itself: every colour by its value, as nothing else knows the names.
function alone(svg) {
  const style = getComputedStyle(document.documentElement);
  const text = new XMLSerializer().serializeToString(svg).replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  const paper = `<rect width="100%" height="100%" fill="${style.getPropertyValue("--card").trim()}"/>`;
  return text.replace(/(<svg[^>]*>)/, `$1${paper}`);
}

async function png(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const picture = new Image();
  const url = URL.createObjectURL(new Blob([alone(svg)], { type: "image/svg+xml" }));
  await new Promise((resolve, reject) => { picture.onload = resolve; picture.onerror = reject; picture.src = url; });
  const sheet = h("canvas", { width: 2 * width, height: 2 * height });
  sheet.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
  URL.revokeObjectURL(url);
  return new Promise((resolve) => sheet.toBlob(resolve, "image/png"));
}

export function downloads(name, make) {
  return [
    h("button", { type: "button", "aria-label": `Download ${name} as SVG`, onclick: async () => save(`${name}.svg`, new Blob([alone(await make())], { type: "image/svg+xml" })) }, "SVG"),
    h("button", { type: "button", "aria-label": `Download ${name} as PNG`, onclick: async () => save(`${name}.png`, await png(await make())) }, "PNG"),
  ];
}

export function figure(title, name, svg, more = []) {
  return h("figure", { class: "figure" }, h("div", { class: "spread" }, h("figcaption", {}, title), h("div", { class: "tools" }, downloads(name, () => svg), more)), svg);
}

function ticks(axis) {
  if (!axis.log) {
    const span = axis.high - axis.low || 1;
    const rough = span / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * power).find((f) => f >= rough);
    const out = [];
    for (let v = Math.ceil(axis.low / step - 1e-9) * step; v <= axis.high + 1e-9 * span; v += step) out.push(+v.toPrecision(10));
    return out;
  }
  const out = [], few = Math.log10(axis.high / axis.low) < 2.2 ? [1, 2, 5] : [1];
  for (let p = Math.floor(Math.log10(axis.low)); p <= Math.ceil(Math.log10(axis.high)); p++)
    for (const f of few) if (f * 10 ** p >= axis.low * .999 && f * 10 ** p <= axis.high * 1.001) out.push(f * 10 ** p);
  return out;
}

// x, y: { label, log, low, high }; points: [{ x, y, name }]; lines: [{ name, x, y, dash }]; rules: [{ x, name }]; band: [low, high]
export function plot({ place, label, x, y, points = [], lines = [], rules = [], band = null, onpoint = null }) {
  const width = widthOf(place), height = Math.round(Math.min(460, Math.max(280, width * .52)));
  const m = { left: 62, right: 16, top: 12, bottom: 46 };
  const svg = canvas(width, height, label);
  const scale = (axis, from, to) => (value) => {
    const [v, low, high] = axis.log ? [value, axis.low, axis.high].map((one) => Math.log10(one)) : [value, axis.low, axis.high];
    return from + (v - low) / (high - low || 1) * (to - from);
  };
  const px = scale(x, m.left, width - m.right), py = scale(y, height - m.bottom, m.top);
  if (band) svg.append(s("rect", { x: px(band[0]), width: Math.max(1, px(band[1]) - px(band[0])), y: m.top, height: height - m.top - m.bottom, fill: "var(--accent-soft)" }));
  const every = width < 480 && ticks(x).length > 6 ? 2 : 1;
  ticks(x).forEach((value, i) => { svg.append(s("line", { x1: px(value), x2: px(value), y1: m.top, y2: height - m.bottom, stroke: "var(--line)" })); if (i % every === 0) svg.append(s("text", { x: px(value), y: height - m.bottom + 16, "text-anchor": "middle", fill: "var(--soft)" }, number(value))); });
  for (const value of ticks(y)) svg.append(s("line", { x1: m.left, x2: width - m.right, y1: py(value), y2: py(value), stroke: "var(--line)" }), s("text", { x: m.left - 6, y: py(value) + 4, "text-anchor": "end", fill: "var(--soft)" }, number(value)));
  svg.append(s("text", { x: (m.left + width - m.right) / 2, y: height - 8, "text-anchor": "middle", fill: "var(--soft)" }, x.label),
    s("text", { transform: `translate(14 ${(m.top + height - m.bottom) / 2}) rotate(-90)`, "text-anchor": "middle", fill: "var(--soft)" }, y.label));
  const inside = s("g", {});
  const clip = `clip${Math.random().toString(36).slice(2)}`;
  svg.append(s("clipPath", { id: clip }, s("rect", { x: m.left, y: m.top - 4, width: width - m.left - m.right + 4, height: height - m.top - m.bottom + 8 })));
  inside.setAttribute("clip-path", `url(#${clip})`);
  for (const point of points) {
    const dot = s("circle", { cx: px(point.x).toFixed(1), cy: py(point.y).toFixed(1), r: points.length > 400 ? 2.2 : 3.2, fill: "var(--c0)", "fill-opacity": .75 }, s("title", {}, point.name));
    if (onpoint) { dot.addEventListener("click", () => onpoint(point)); dot.setAttribute("cursor", "pointer"); }
    inside.append(dot);
  }
  lines.forEach((line, i) => inside.append(s("polyline", { points: line.x.map((v, j) => line.y[j] > 0 || !y.log ? `${px(v).toFixed(1)},${py(line.y[j]).toFixed(1)}` : "").join(" "), fill: "none", stroke: `var(--c${points.length ? i + 1 : i})`, "stroke-width": 2, "stroke-dasharray": line.dash ? "6 4" : null })));
  svg.append(inside);
  for (const rule of rules) svg.append(s("line", { x1: px(rule.x), x2: px(rule.x), y1: m.top, y2: height - m.bottom, stroke: "var(--c1)", "stroke-width": 2, "stroke-dasharray": "5 4" }), s("text", { x: px(rule.x) + (px(rule.x) > width / 2 ? -6 : 6), y: m.top + 14, "text-anchor": px(rule.x) > width / 2 ? "end" : "start", "font-weight": 600 }, rule.name));
  lines.forEach((line, i) => { if (!line.name) return; const at = m.top + 16 + 18 * i; svg.append(s("line", { x1: width - m.right - 176, x2: width - m.right - 152, y1: at, y2: at, stroke: `var(--c${points.length ? i + 1 : i})`, "stroke-width": 2, "stroke-dasharray": line.dash ? "6 4" : null }), s("text", { x: width - m.right - 146, y: at + 4 }, line.name)); });
  return svg;
}

// rows: [{ label, value, note, low, high }] as bars from zero; onrow makes them buttons.
export function bars({ place, label, rows, onrow = null, unit = "" }) {
  const width = widthOf(place), step = 26, m = { top: 6, bottom: 26 };
  const named = Math.min(Math.round(width * .42), 24 + 7.2 * Math.max(4, ...rows.map((row) => row.label.length)));
  const height = m.top + step * rows.length + m.bottom;
  const svg = canvas(width, height, label, onrow ? "group" : "img");
  const low = Math.min(0, ...rows.map((row) => row.low ?? row.value)), high = Math.max(0, ...rows.map((row) => row.high ?? row.value));
  const px = (value) => named + 8 + (value - low) / (high - low || 1) * (width - named - 74);
  for (const value of ticks({ low, high })) svg.append(s("line", { x1: px(value), x2: px(value), y1: m.top, y2: height - m.bottom, stroke: "var(--line)" }), s("text", { x: px(value), y: height - 8, "text-anchor": "middle", fill: "var(--soft)", "font-size": 11 }, number(value, 3)));
  if (unit) svg.append(s("text", { x: width - 4, y: height - 8, "text-anchor": "end", fill: "var(--soft)", "font-size": 11 }, unit));
  rows.forEach((row, i) => {
    const y = m.top + step * i, room = Math.floor((named - 6) / 7);
    const text = row.label.length > room ? `${row.label.slice(0, room - 1)}…` : row.label;
    const group = s("g", onrow ? { role: "button", tabindex: 0, cursor: "pointer", onclick: () => onrow(row), onkeydown: (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); onrow(row); } } } : {},
      s("title", {}, `${row.label}: ${number(row.value, 4)}${row.note ? ` · ${row.note}` : ""}`),
      s("rect", { x: 0, y, width, height: step, fill: "transparent" }),
      s("text", { x: named, y: y + 17, "text-anchor": "end", "font-size": 13 }, text),
      s("rect", { x: Math.min(px(0), px(row.value)), y: y + 5, width: Math.max(1, Math.abs(px(row.value) - px(0))), height: step - 10, rx: 3, fill: row.value < 0 ? "var(--c1)" : "var(--c0)" }));
    if (row.low !== undefined) group.append(s("line", { x1: px(row.low), x2: px(row.high), y1: y + step / 2, y2: y + step / 2, stroke: "var(--ink)", "stroke-width": 1.5 }));
    group.append(s("text", { x: Math.max(px(row.value), px(row.high ?? row.value), px(0)) + 6, y: y + 17, fill: "var(--soft)", "font-size": 11 }, row.shown ?? number(row.value, 3)));
    svg.append(group);
  });
  svg.append(s("line", { x1: px(0), x2: px(0), y1: m.top, y2: height - m.bottom, stroke: "var(--edge)" }));
  return svg;
}

// Flows between two lists of words, as word mover's distance moves them.
export function flows({ place, moved, colourOf }) {
  const width = Math.min(widthOf(place), 460), left = [...new Set(moved.map((one) => one.query))], right = [...new Set(moved.map((one) => one.match))];
  const sum = (list, key, name) => list.filter((one) => one[key] === name).reduce((total, one) => total + one.flow, 0);
  const height = 22 * Math.max(left.length, right.length) + 40, gap = 4, high = height - 10;
  const svg = canvas(width, height, `Flows: ${moved.map((one) => `${one.query} to ${one.match}`).join(", ")}`);
  const layout = (names, key) => {
    const places = {}, room = high - gap * (names.length - 1);
    let at = 5;
    for (const name of names) { const size = sum(moved, key, name) * room; places[name] = { at, size, used: 0 }; at += size + gap; }
    return places;
  };
  const from = layout(left, "query"), to = layout(right, "match"), x0 = width * .32, x1 = width * .68;
  for (const one of moved) {
    const a = from[one.query], b = to[one.match], room = high - gap * (left.length - 1), other = high - gap * (right.length - 1);
    const ay = a.at + a.used + one.flow * room / 2, by = b.at + b.used + one.flow * other / 2;
    a.used += one.flow * room; b.used += one.flow * other;
    svg.append(s("path", { d: `M${x0},${ay} C${(x0 + x1) / 2},${ay} ${(x0 + x1) / 2},${by} ${x1},${by}`, fill: "none", stroke: `var(--c${colourOf(one.query)})`, "stroke-opacity": .45, "stroke-width": Math.max(1, one.flow * Math.min(room, other)) }, s("title", {}, `${one.query} → ${one.match}: ${number(one.flow, 3)}${one.distance === undefined ? "" : ` at distance ${number(one.distance, 3)}`}`)));
  }
  for (const [name, one] of Object.entries(from)) svg.append(s("rect", { x: x0 - 4, y: one.at, width: 4, height: one.size, fill: `var(--c${colourOf(name)})` }), s("text", { x: x0 - 9, y: one.at + one.size / 2 + 4, "text-anchor": "end" }, name));
  for (const [name, one] of Object.entries(to)) svg.append(s("rect", { x: x1, y: one.at, width: 4, height: one.size, fill: "var(--edge)" }), s("text", { x: x1 + 9, y: one.at + one.size / 2 + 4 }, name));
  return svg;
}
