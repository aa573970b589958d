// @ts-check
// Two columns of passages in the order of their texts; ribbons join those that say the same.
import { useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { DocumentLink, Marked } from "./text.js";
import { html, percent } from "./ui.js";

const tint = (i) => 2 + (i % 6); // the first two colours are those of A and B

const NARROW = 560; // pixels, below which a pair is one card
const LONG = 400; // characters of a passage that are shown at first

const labelOf = (pair) => pair.label ?? `${percent(pair.similarity)} alike`;

/** A passage that opens its text; a pasted text has none to open. */
function Piece({ one }) {
  const [all, setAll] = useState(false);
  const letters = Array.from(one.text);
  const isLong = letters.length > LONG;
  const cut = {
    text: `${letters.slice(0, LONG).join("")}…`,
    highlights: one.highlights.filter((h) => h.end <= LONG),
  };
  return html`<p class="text"><${Marked} passage=${isLong && !all ? cut : one} colourOf=${() => tint(one.i)} /></p>
    ${
      isLong &&
      html`<button type="button" class="quiet" onClick=${() => setAll(!all)}>${all ? "Less" : "All of it"}
      </button> `
    }
    ${
      one.document &&
      html`<${DocumentLink} id=${one.document} metadata=${one.metadata} sentence=${one.sentence} class="small" />`
    }`;
}

export function Ribbons({ pairs, names }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [paths, setPaths] = useState(/** @type {{ d: string, i: number }[]} */ ([]));
  const [over, setOver] = useState(-1);
  const [narrow, setNarrow] = useState(false);
  const left = pairs
    .map((one, i) => ({ ...one.a, highlights: one.a.highlights ?? shared(one.a.text, one.b.text), i }))
    .sort(byPlace);
  const right = pairs
    .map((one, i) => ({ ...one.b, highlights: one.b.highlights ?? shared(one.b.text, one.a.text), i }))
    .sort(byPlace);
  useLayoutEffect(() => {
    const place = box.current;
    if (!place) return;
    const measure = () => {
      const area = place.getBoundingClientRect();
      setNarrow(area.width < NARROW);
      const middle = (side, i) => {
        const one = place.querySelector(`[data-${side}="${i}"]`)?.getBoundingClientRect();
        return one
          ? {
              y: one.top - area.top + one.height / 2,
              x: side === "left" ? one.right - area.left : one.left - area.left,
              half: Math.min(18, one.height / 2 - 4),
            }
          : null;
      };
      setPaths(
        pairs.flatMap((_, i) => {
          const [p, q] = [middle("left", i), middle("right", i)];
          if (!p || !q || q.x <= p.x) return []; // one column under the other
          const m = (p.x + q.x) / 2;
          const upper = `M${p.x},${p.y - p.half} C${m},${p.y - p.half} ${m},${q.y - q.half} ${q.x},${q.y - q.half}`;
          const lower = `L${q.x},${q.y + q.half} C${m},${q.y + q.half} ${m},${p.y + p.half} ${p.x},${p.y + p.half}`;
          const d = `${upper} ${lower} Z`;
          return [{ d, i }];
        }),
      );
    };
    const watch = new ResizeObserver(measure);
    watch.observe(place);
    return () => watch.disconnect();
  }, [pairs, narrow]);
  const column = (list, side) =>
    html`<ol class=${side}>
      ${list.map(
        (one) =>
          html`<li key=${one.i} data-left=${side === "left" ? one.i : undefined}
            data-right=${side === "right" ? one.i : undefined}
              class="pair p${tint(one.i)} ${over === one.i ? "over" : ""}" onPointerEnter=${() => setOver(one.i)}
                onPointerLeave=${() => setOver(-1)}>
            <${Piece} one=${one} /> <span class="small">${labelOf(pairs[one.i])}</span>
          </li>`,
      )}
    </ol>`;
  if (narrow)
    return html`<div class="pairs" ref=${box}>
      ${pairs.map((pair, i) => {
        const sides = [left, right].map((list) => list.find((one) => one.i === i) ?? list[0]);
        return html`<div class="pair p${tint(i)}">
          ${sides.map(
            (one, side) => html`<div class="lettered">
            <strong class="ink-${side ? "b" : "a"}">${side ? "B" : "A"}</strong><div><${Piece} one=${one} /></div>
          </div>`,
          )}
          <span class="small">${labelOf(pair)}</span>
        </div>`;
      })}
    </div>`;
  return html`<div class="ribbons" ref=${box}>
    <svg aria-hidden="true">${paths.map(
      ({ d, i }) => html`<path key=${i} d=${d} class=${over === i ? "over" : ""}
      fill=${`var(--c${tint(i)})`} />`,
    )}</svg>
    <div><h3 class="ink-a">${names[0]}</h3>${column(left, "left")}</div>
    <div><h3 class="ink-b">${names[1]}</h3>${column(right, "right")}</div>
  </div>`;
}

const WORD = /[\p{L}\p{M}]{4,}/gu;
const STEM = 5; // letters in which forms of a word agree
/** The words that another text has, too, in any form. @param {string} text @param {string} other */
function shared(text, other) {
  const stems = new Set((other.toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, STEM)));
  return [...text.matchAll(WORD)]
    .filter((one) => stems.has(one[0].toLowerCase().slice(0, STEM)))
    .map((one) => {
      const start = Array.from(text.slice(0, one.index)).length;
      return { start, end: start + Array.from(one[0]).length, query: "", weight: 1 };
    });
}

const byPlace = (x, y) => x.document.localeCompare(y.document) || x.sentence - y.sentence;
