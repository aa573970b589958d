// A matrix as a picture: a cell a pair, dark where texts differ much.
import { canvas, downloads, s, widthOf } from "./chart.js";
import { h, number } from "./dom.js";

const STOPS = [[253, 231, 180], [246, 170, 120], [214, 90, 110], [130, 45, 120], [35, 20, 80]];
function colour(share) {
  const at = Math.max(0, Math.min(.9999, share)) * (STOPS.length - 1), i = Math.floor(at), f = at - i;
  return STOPS[i].map((v, c) => Math.round(v + f * (STOPS[i + 1][c] - v)));
}

// ids in the order of drawing; value(i, j) of the pair, or null
export function heat(place, ids, value, { label, name, onpair }) {
  const n = ids.length, values = [];
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (i !== j && value(i, j) !== null) values.push(value(i, j));
  values.sort((a, b) => a - b);
  const low = values[0] ?? 0, high = values[Math.floor(values.length * .98)] ?? 1;
  const cells = h("canvas", { width: n, height: n });
  const c = cells.getContext("2d"), image = c.createImageData(n, n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
    const v = value(i, j), rgb = i === j ? [128, 128, 128] : colour(v === null ? 1 : (v - low) / (high - low || 1));
    image.data.set([...rgb, i === j ? 60 : 255], 4 * (i * n + j));
  }
  c.putImageData(image, 0, 0);
  const width = Math.min(widthOf(place), 720), names = n <= 80 && width > 420, margin = names ? 120 : 4, side = width - margin - 4, step = side / n;
  const svg = canvas(width, Math.round(side + 42), label);
  svg.append(s("image", { href: cells.toDataURL(), x: margin, y: 4, width: side, height: side, "image-rendering": "pixelated", preserveAspectRatio: "none" }));
  if (names) ids.forEach((id, i) => {
    const size = Math.min(10, step * .95), text = id.length > 20 ? `${id.slice(0, 19)}…` : id;
    svg.append(s("text", { x: margin - 4, y: 4 + step * (i + .5) + size / 3, "text-anchor": "end", "font-size": size.toFixed(1), fill: "var(--soft)" }, text));
  });
  const ramp = s("g", {});
  for (let i = 0; i < 60; i++) ramp.append(s("rect", { x: margin + i * side / 60, y: side + 10, width: side / 60 + .5, height: 8, fill: `rgb(${colour(i / 59)})` }));
  svg.append(ramp, s("text", { x: margin, y: side + 32, fill: "var(--soft)" }, number(low, 3)), s("text", { x: margin + side, y: side + 32, "text-anchor": "end", fill: "var(--soft)" }, `${number(high, 3)} and more`));
  const told = h("p", { class: "small", role: "status" }, "Point at a cell to see its pair; click to compare them.");
  const mark = s("rect", { fill: "none", stroke: "var(--ink)", "stroke-width": 2, width: step, height: step, visibility: "hidden" });
  svg.append(mark);
  const pair = (event) => {
    const box = svg.getBoundingClientRect(), k = width / box.width;
    const j = Math.floor(((event.clientX - box.left) * k - margin) / step), i = Math.floor(((event.clientY - box.top) * k - 4) / step);
    return i >= 0 && j >= 0 && i < n && j < n ? [i, j] : null;
  };
  svg.addEventListener("pointermove", (event) => {
    const at = pair(event);
    mark.setAttribute("visibility", at ? "visible" : "hidden");
    if (!at) return;
    mark.setAttribute("x", margin + at[1] * step); mark.setAttribute("y", 4 + at[0] * step);
    told.textContent = at[0] === at[1] ? ids[at[0]] : `${ids[at[0]]} from ${ids[at[1]]}: ${value(...at) === null ? "no word in common" : number(value(...at), 4)}`;
  });
  svg.addEventListener("click", (event) => { const at = pair(event); if (at && at[0] !== at[1]) onpair(ids[at[0]], ids[at[1]]); });
  return h("figure", { class: "figure heat" }, h("div", { class: "spread" }, h("figcaption", {}, label), h("div", { class: "tools" }, downloads(name, () => svg))), svg, told);
}
