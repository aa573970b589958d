// @ts-check
// The collection, the filter that all views share, and the documents that pass it.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "./api.js";
import { useDocuments } from "./documents.js";
import { bounds, chosen, clear, describe, drop, parse, setCondition, toggle } from "./filter.js";
import { usePaste } from "./pastes.js";
import { forget, go, href } from "./route.js";
import { DocumentLink } from "./text.js";
import { Trouble, Typed, fieldName, html, number, plural, usePage } from "./ui.js";

const FEW = 6; // values of a field that are shown at first
const OPEN = 4; // fields whose values are shown at first
const STEP = 40; // documents

export function Sidebar({ open, close }) {
  const { server, index, about, where } = usePage();
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const all = useAnswer("facets", { index });
  useEffect(() => {
    if (!open) return;
    const leave = (event) => event.key === "Escape" && close();
    addEventListener("keydown", leave);
    box.current?.focus();
    return () => removeEventListener("keydown", leave);
  }, [open]);
  const choose = (id) => {
    forget();
    go(`/overview?index=${encodeURIComponent(id)}`);
  };
  const listed = all.answer?.results.filter((one) => isUseful(one, about.documents)) ?? [];
  return html`<aside class="side ${open ? "open" : ""}" aria-label="Collection and filter" ref=${box} tabindex="-1">
    <div class="only-narrow spread"><strong>Filter</strong>
      <button type="button" onClick=${close}>Show results</button>
    </div>
    <div class="collection">
      <label class="field"
        ><span>Collection</span>
        <select value=${index} onChange=${(event) => choose(event.target.value)}>
          ${server?.indexes.map(
            (one) => html`<option value=${one.id}
            selected=${one.id === index}>${one.id}</option>`,
          )}
        </select>
      </label>
      <a class="add" href=${href("import")}>+ Add texts</a>
    </div>
    <p class="small">${plural(about.documents, "document")}, ${plural(about.sentences, "sentence")}</p>
    ${
      where.length > 0 &&
      html`<div class="filter" role="group" aria-label="Filter">
      ${where.map(
        (one) =>
          html`<button type="button" class="tag on" title="Remove this condition" onClick=${() => drop(one)}>
            <${Condition} text=${one} /> <span aria-hidden="true">×</span><span class="unseen">, remove</span>
          </button>`,
      )}
      <button type="button" class="quiet" onClick=${clear}>Clear the filter</button>
    </div>`
    }
    <${Trouble} problem=${all.problem} retry=${all.retry} />
    ${listed.map((one, i) => {
      const isSet = where.some((each) => parse(each).field === one.field);
      return html`<${Facet} key=${one.field} whole=${one} open=${i < OPEN || isSet || one.kind !== "values"} />`;
    })}
    <${Documents} />
  </aside>`;
}

/** A condition in words; a long one is kept by the server. @param {{ text: string }} condition */
const Condition = ({ text }) => html`${describe(usePaste(text)) || "some documents"}`;

// A field with one value, or with almost as many values as documents, says nothing about groups.
const isUseful = (facet, documents) =>
  facet.kind !== "values"
    ? facet.low !== facet.high
    : facet.distinct > 1 &&
      facet.distinct <= Math.max(FEW, documents / 2) &&
      facet.values.some((one) => one.count > 1);

/** @param {string} field */
const heading = (field) => fieldName(field).replace(/^./u, (first) => first.toUpperCase());

/** The values of a field, counted among the documents that all other conditions leave. */
function Facet({ whole, open }) {
  const { index, where } = usePage();
  const [all, setAll] = useState(false);
  const others = where.filter((one) => parse(one).field !== whole.field);
  const counted = useAnswer("facets", { index, where: others }).answer?.results.find(
    (one) => one.field === whole.field,
  );
  if (whole.kind !== "values") return html`<${Range} facet=${whole} where=${where} open=${open} />`;
  const picked = chosen(where, whole.field);
  const counts = new Map((counted ?? whole).values.map((one) => [one.value, one.count]));
  const known = whole.values.map((one) => ({ value: one.value, count: counts.get(one.value) ?? 0 }));
  const values = known
    .sort((x, y) => y.count - x.count)
    .filter((one, i) => all || i < FEW || picked.includes(one.value));
  const most = Math.max(1, ...known.map((one) => one.count));
  return html`<details class="facet" open=${open}>
    <summary>${heading(whole.field)}</summary>
    <ul>
      ${values.map(
        (one) =>
          html`<li key=${one.value} class=${one.count ? "" : "none"}>
            <label>
              <span class="meter" style=${{ width: `${(100 * one.count) / most}%` }}></span>
              <input type="checkbox" checked=${picked.includes(one.value)}
                onChange=${() => toggle(whole.field, one.value)} />
              <span class="name">${one.value || "(empty)"}</span>
              <span class="count">${number(one.count)}</span>
            </label>
          </li>`,
      )}
    </ul>
    ${
      known.length > FEW &&
      html`<button type="button" class="quiet" onClick=${() => setAll(!all)}>
      ${all ? "Fewer" : `${number(known.length - FEW)} more`}
    </button>`
    }
    ${
      all &&
      whole.distinct > known.length &&
      html`<p class="small">The ${known.length} most frequent of ${number(whole.distinct)}.</p>`
    }
  </details>`;
}

/** Two handles on one line; the numbers can be typed, too. */
function Range({ facet, where, open }) {
  const set = bounds(where, facet.field);
  // Typed bounds of which "from" is above "to": they are kept, but not applied.
  const [held, hold] = useState(/** @type {{ low: string, high: string } | null} */ (null));
  useEffect(() => hold(null), [set.low, set.high]);
  const { low: from, high: to } = held ?? set;
  const isDate = facet.kind === "date";
  const toNumber = (value) => (isDate ? Date.parse(String(value)) / 864e5 : Number(value));
  const toText = (value) => (isDate ? new Date(value * 864e5).toISOString().slice(0, 10) : String(value));
  const whole = { least: toNumber(facet.low), most: toNumber(facet.high) };
  const low = from === "" ? whole.least : toNumber(from);
  const high = to === "" ? whole.most : toNumber(to);
  const isWhole = isDate || (Number.isInteger(whole.least) && Number.isInteger(whole.most));
  const step = isWhole ? 1 : (whole.most - whole.least) / 200;
  const put = (from, to) => {
    const a = from === "" ? whole.least : toNumber(from);
    const b = to === "" ? whole.most : toNumber(to);
    hold(a > b ? { low: from, high: to } : null);
    if (a > b) return;
    const range = `${a > whole.least ? from : ""}..${b < whole.most ? to : ""}`;
    setCondition(facet.field, range === ".." ? "" : range);
  };
  const slide = (a, b) => put(toText(Math.min(a, b)), toText(Math.max(a, b))); // handles may pass each other
  const slider = (label, value, act) =>
    html`<input type="range" aria-label=${`${facet.field}, ${label}`} aria-valuetext=${toText(value)}
      min=${whole.least} max=${whole.most} step=${step} value=${value}
      onChange=${(event) => act(Number(event.target.value))} />`;
  const field = (label, value, act) =>
    html`<${Typed} type=${isDate ? "date" : "number"} aria-label=${`${facet.field} ${label}`}
      value=${toText(value)} pause=${600} onInput=${(text) => text !== "" && act(toText(toNumber(text)))}
      onBlur=${(event) => event.target.value === "" && act("")} />`;
  return html`<details class="facet" open=${open}>
    <summary>${heading(facet.field)}</summary>
    <div class="range">
      ${slider("from", low, (value) => slide(value, high))}${slider("to", high, (value) => slide(low, value))}
    </div>
    <div class="range-values ${facet.kind}">
      ${field("from", low, (value) => put(value, to))}<span
        aria-hidden="true">–</span>${field("to", high, (value) => put(from, value))}
    </div>
    ${held && html`<p class="small" role="alert">“From” is above “to”, so this range is not applied.</p>`}
  </details>`;
}

function Documents() {
  const { about, where, params } = usePage();
  const [text, setText] = useState("");
  const [shown, setShown] = useState(STEP);
  const found = useDocuments(text, where);
  const fits = found.list;
  return html`<details class="facet documents" open>
    <summary>Documents <span class="count">${found.answer && found.count}</span></summary>
    ${
      about.documents > 10 &&
      html`<input type="search"
      placeholder="Find a document" aria-label="Find a document" value=${text}
      onInput=${(event) => setText(event.target.value)}
    />`
    }
    <${Trouble} problem=${found.problem} retry=${found.retry} />
    <ul>
      ${fits.slice(0, shown).map(
        (one) =>
          html`<li key=${one.id} class=${params.get("doc") === one.id ? "on" : ""}>
            <${DocumentLink} id=${one.id} metadata=${one.metadata} />
          </li>`,
      )}
    </ul>
    ${
      fits.length > shown &&
      html`<button type="button" class="quiet"
      onClick=${() => setShown(shown + 4 * STEP)}>More</button>`
    }
    ${found.answer && !fits.length && html`<p class="small">None is called that.</p>`}
  </details>`;
}
