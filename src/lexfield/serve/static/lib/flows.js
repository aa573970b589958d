// @ts-check
// Which word was moved where, as word mover's distance counts it: ribbons between two columns of words.
import { html, number } from "./ui.js";

const WIDTH = 460;
const GAP = 4;

const away = (distance) => (distance ? ` at distance ${number(distance)}` : "");

export function Flows({ moved, reasons, colourOf }) {
  const far = new Map(reasons.map((one) => [`${one.query}\n${one.match}`, one.distance]));
  const left = [...new Set(moved.map((one) => one.query))];
  const right = [...new Set(moved.map((one) => one.match))];
  const height = 22 * Math.max(left.length, right.length) + 40;
  const layout = (names, key) => {
    const room = height - 10 - GAP * (names.length - 1);
    let at = 5;
    return new Map(
      names.map((name) => {
        const size = moved.filter((one) => one[key] === name).reduce((sum, one) => sum + one.flow, 0) * room;
        const place = { at, size, used: 0, room };
        at += size + GAP;
        return [name, place];
      }),
    );
  };
  const from = layout(left, "query");
  const to = layout(right, "match");
  const [x0, x1] = [WIDTH * 0.32, WIDTH * 0.68];
  const ribbons = moved.map((one) => {
    const a = from.get(one.query);
    const b = to.get(one.match);
    const y0 = a.at + a.used + (one.flow * a.room) / 2;
    const y1 = b.at + b.used + (one.flow * b.room) / 2;
    a.used += one.flow * a.room;
    b.used += one.flow * b.room;
    const distance = far.get(`${one.query}\n${one.match}`);
    const middle = (x0 + x1) / 2;
    return html`<path
      d=${`M${x0},${y0} C${middle},${y0} ${middle},${y1} ${x1},${y1}`}
      fill="none"
      stroke=${`var(--c${colourOf(one.query)})`}
      stroke-opacity=".45"
      stroke-width=${Math.max(1, one.flow * Math.min(a.room, b.room))}
      ><title>${one.query} → ${one.match}: ${number(one.flow)}${away(distance)}</title></path
    >`;
  });
  const side = (places, x, anchor, colour) =>
    [...places].map(
      ([name, { at, size }]) =>
        html`<rect x=${anchor === "end" ? x - 4 : x} y=${at} width="4" height=${size} fill=${colour(name)} />
          <text x=${anchor === "end" ? x - 9 : x + 9} y=${at + size / 2 + 4} text-anchor=${anchor}>${name}</text>`,
    );
  return html`<svg
    class="flows"
    viewBox=${`0 0 ${WIDTH} ${height}`}
    width=${WIDTH}
    height=${height}
    role="img"
    aria-label=${`What was moved: ${moved.map((one) => `${one.query} to ${one.match}`).join(", ")}`}
  >
    ${ribbons} ${side(from, x0, "end", (name) => `var(--c${colourOf(name)})`)}
    ${side(to, x1, "start", () => "var(--edge)")}
  </svg>`;
}
