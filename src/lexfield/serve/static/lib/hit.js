// @ts-check
// A hit: its text, why it was found in words, what can be done with it, and the numbers on request.
import { useState } from "../vendor/preact-htm.js";
import { toggle } from "./filter.js";
import { Flows } from "./flows.js";
import { addPin } from "./pins.js";
import { href } from "./route.js";
import { DocumentLink, Marked, pieces, quotation, read, sourceOf, titleField, titleOf } from "./text.js";
import { copy, html, number, percent, plural, usePage } from "./ui.js";

export const quoteOf = (hit) => ({
  text: hit.passages[0]?.text ?? hit.text,
  source: sourceOf(hit.document, hit.metadata, hit.passages[0]?.sentence ?? null),
});

export function Groups({ hits, colourOf }) {
  const groups = new Map();
  for (const hit of hits) groups.set(hit.document, [...(groups.get(hit.document) ?? []), hit]);
  return [...groups].map(
    ([id, list]) =>
      html`<section class="group" key=${id} aria-label=${titleOf(id, list[0].metadata)}>
        <h2><${DocumentLink} id=${id} metadata=${list[0].metadata} /> <span
          class="small">${number(list.length)} of the ${number(hits.length)} shown</span></h2>
        ${list.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} colourOf=${colourOf} unit="sentence" inGroup />`)}
      </section>`,
  );
}

/** Not the end of a selection that somebody wants to copy. */
const isClick = () => String(getSelection()).length < 2;

export function Hit({ hit, colourOf, unit, inGroup = false }) {
  const { index, about: collection } = usePage();
  const [open, setOpen] = useState(false);
  const pin = () => addPin({ index, title: titleOf(hit.document, hit.metadata), quotes: [quoteOf(hit)] });
  const many = unit === "document";
  const about = Object.entries(hit.metadata)
    .filter(([name, value]) => value && name !== titleField(hit.metadata) && differs(collection, name))
    .slice(0, 3);
  const parts = hit.explanation?.parts;
  return html`<article class="hit" data-id=${hit.id}>
    ${many && html`<h2><${DocumentLink} id=${hit.document} metadata=${hit.metadata} /></h2>`}
    ${hit.passages.map(
      (passage) => html`<p class="text open" onClick=${() => isClick() && read(hit.document, passage.sentence)}>
      <${Marked} passage=${passage} colourOf=${colourOf} />
      ${
        many &&
        html` <${DocumentLink} id=${hit.document} text=${`sentence ${number(passage.sentence + 1)}`}
        sentence=${passage.sentence} class="small place" />`
      }
    </p>`,
    )}
    <${Why} hit=${hit} colourOf=${colourOf} />
    <div class="about">
      ${
        !inGroup &&
        !many &&
        html`<${DocumentLink} id=${hit.document} metadata=${hit.metadata}
        sentence=${hit.passages[0]?.sentence ?? null} />`
      }
      ${
        inGroup &&
        html`<${DocumentLink} id=${hit.document}
        text=${`Sentence ${number((hit.passages[0]?.sentence ?? 0) + 1)}`}
          sentence=${hit.passages[0]?.sentence} />`
      }
      ${
        !inGroup &&
        about.map(
          ([name, value]) => html`<button type="button" class="tag" title=${`Filter: ${name} is ${value}`}
          onClick=${() => toggle(name, String(value))}>${withoutTime(value)}</button>`,
        )
      }
      <span class="acts">
        ${parts && html`<${Parts} parts=${parts} />`}
        <a href=${href("search", { like: hit.id })}>More like this</a>
        <button type="button" class="quiet"
          onClick=${() => copy(quotation(quoteOf(hit).text, quoteOf(hit).source), "Quotation")}>Quote</button>
        <button type="button" class="quiet"
          onClick=${pin}>Pin</button>
        <button type="button" class="quiet" aria-expanded=${String(open)}
          onClick=${() => setOpen(!open)}>Numbers</button>
      </span>
    </div>
    ${open && html`<${Numbers} hit=${hit} colourOf=${colourOf} />`}
  </article>`;
}

/** Can documents differ in a field? Of a single one, all is worth showing. */
const differs = ({ documents, metadata }, name) => documents < 2 || Object.keys(metadata[name] ?? {}).length !== 1;

/** A date as people write it: e-mail and Word documents count seconds, trackers minutes. @param {string} value */
const withoutTime = (value) =>
  String(value).replace(/^(\d{4}-\d\d-\d\d|\d{1,2}[/. -]\w{2,9}[/. -]\d{2,4})[T ]\d\d?:\d\d.*$/, "$1");

const STRONG = 0.3; // the weight of a word from which on it is shaded, and named as a reason

/** Why a hit was found, in words: the words that are shaded, and what they stand for. */
function Why({ hit, colourOf }) {
  const asked = (usePage().params.get("q") ?? "").split(/[^\p{L}\p{N}]+/u);
  const own = (word) => asked.find((one) => one.toLowerCase() === word) ?? word;
  const said = new Map();
  for (const passage of hit.passages)
    for (const [piece, mark] of pieces(passage)) {
      if (!mark || mark.weight < STRONG) continue;
      const word = piece.toLowerCase();
      // As it is written there: in German, regen and Regen are two words.
      if ((said.get(word)?.weight ?? 0) < mark.weight)
        said.set(word, { word, written: piece, query: mark.query, weight: mark.weight });
    }
  const list = [...said.values()].sort((a, b) => b.weight - a.weight).slice(0, 5);
  const name = (one) =>
    html`<strong class="w${colourOf(one.query)}">${one.written}</strong>${
      one.word !== one.query && html` for <em>${own(one.query)}</em>`
    }`;
  return html`${
    list.length > 0 &&
    html`<p class="why">
        ${list[0].word === list[0].query ? "Has " : "Says "}${list.map(
          (one, i) => html`${i > 0 && (i === list.length - 1 ? " and " : ", ")}${name(one)}`,
        )}.
      </p>`
  }
    ${
      hit.differs?.length > 0 &&
      html`<p class="why differs"><span>But:</span> ${hit.differs.map(sayPlainly).join("; ")}</p>`
    }`;
}

/** What differs, as the server writes it for a terminal. @param {string} text */
const sayPlainly = (text) =>
  text
    .replace(/"([^"]*)"/g, "“$1”")
    .replace(
      /^(.+) → (.+?)( \(opposites\))?$/,
      (_, own, other, rest) => `${quote(other)} for ${quote(own)}${rest ?? ""}`,
    )
    .replace("in the query", "in your text");
const quote = (text) => (/^[“\d]/.test(text) ? text : `“${text}”`);

const PARTS = { words: "words", sentence: "meaning", encoder: "encoder", meaning: "meaning" };
const TINTS = { words: "p0", sentence: "p1", meaning: "p1", encoder: "p2" };
/** What the colours of the bars mean. */
export function PartsKey({ hits }) {
  const names = new Set(hits.flatMap((hit) => Object.keys(hit.explanation?.parts ?? {})));
  return html`<span class="parts-key small" aria-hidden="true">${[...names].map(
    (name) => html`<span><i class=${TINTS[name]}></i>${PARTS[name] ?? name}</span>`,
  )}</span>`;
}

function Parts({ parts }) {
  const list = Object.entries(parts).filter(([, value]) => value > 0);
  const sum = list.reduce((total, [, value]) => total + value, 0) || 1;
  const text = list.map(([name, value]) => `${PARTS[name] ?? name} ${percent(value / sum)}`).join(", ");
  return html`<span class="parts" role="img" aria-label=${`Found by ${text}`} title=${`Found by ${text}`}>
    ${list.map(([name, value]) => html`<i class=${TINTS[name]} style=${{ width: `${(100 * value) / sum}%` }}></i>`)}
  </span>`;
}

const SHOWN = 12;
function Numbers({ hit, colourOf }) {
  const reasons = [...(hit.explanation?.reasons ?? [])].sort(
    (a, b) => Math.abs(b.contribution) - Math.abs(a.contribution),
  );
  const named = reasons.filter((one) => !one.query.startsWith("(")).slice(0, SHOWN);
  const rest = reasons.filter((one) => !named.includes(one));
  const parts = Object.entries(hit.explanation?.parts ?? {});
  const chance = hit.chance ?? null;
  const sum = parts.map(([name, value]) => `${PARTS[name] ?? name} ${number(value)}`).join(" + ");
  return html`<div class="numbers"><p class="small">
        Score ${number(hit.score)}${parts.length > 1 && `: ${sum}`}.
        ${" "}${chance !== null && `By chance alone, about ${number(chance, 2)} would score as high.`}
      </p>
      ${
        hit.explanation?.flows &&
        html`<${Flows} moved=${hit.explanation.flows} reasons=${reasons}
        colourOf=${colourOf} />`
      }
      <table>
        <thead>
          <tr><th scope="col">your word</th><th scope="col">answered by</th><th scope="col">as</th><th
            scope="col" class="n">adds</th></tr>
        </thead>
        <tbody>
          ${named.map(
            (one) => html`<tr><td>${one.query || "none"}</td><td>${one.match || "none"}</td><td
            class="small">${PARTS[one.part] ?? one.part ?? ""}</td><td
            class="n">${number(one.contribution)}</td></tr>`,
          )}
          ${
            rest.length > 0 &&
            html`<tr><td colspan="3" class="small">weaker pairs</td><td
              class="n">${number(rest.reduce((sum, one) => sum + one.contribution, 0))}</td></tr>`
          }
        </tbody>
      </table>
      ${
        hit.explanation?.uncovered?.length > 0 &&
        html`<p
        class="small">Not taken up so far: ${hit.explanation.uncovered.join(", ")}</p>`
      }</div>`;
}

/** The words that count as answers to each word, and whether a sentence has covered it yet. */
export function Reach({ reach, hits, lists, colourOf }) {
  const used = new Set(
    hits.flatMap((hit) => (hit.explanation?.reasons ?? []).map((one) => `${one.query}\n${one.match}`)),
  );
  const cover = lists.find(([method]) => /^(ideas|setcover)/.test(method))?.[1] ?? [];
  const covered = new Map();
  for (const hit of cover)
    for (const one of reach.results)
      if (one.known && !covered.has(one.word) && hit.explanation && !hit.explanation.uncovered?.includes(one.word))
        covered.set(one.word, hit.rank);
  const state = (one) =>
    !one.known
      ? "not known to the word vectors"
      : !cover.length
        ? ""
        : covered.has(one.word)
          ? `taken up by number ${covered.get(one.word)}`
          : "not taken up yet";
  const unknown = reach.results.filter((one) => !one.known).map((one) => one.word);
  return html`<details class="reach quiet-fold" open=${cover.length > 0}>
    <summary>Words it looks for</summary>
    <ul aria-label="What your words reach">
      ${reach.results.map(
        (one) =>
          html`<li>
            <span class="word w${colourOf(one.word)} strong">${one.word}</span> <span
              class="state">${state(one)}</span>
            ${one.ball.map(
              (near) => html`<span
              class=${used.has(`${one.word}\n${near.word}`) ? "used" : ""}>${near.word}</span> `,
            )}
          </li>`,
      )}
    </ul>
    ${unknown.length > 0 && html`<p class="small">Found only as they are written: ${unknown.join(", ")}.</p>`}
  </details>`;
}
