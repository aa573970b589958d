// @ts-check
// The small parts of every view. Texts enter as texts: there is no markup in anything that a user wrote.
import { createContext, html, useContext, useEffect, useRef, useState } from "../vendor/preact-htm.js";

export { html };
/** What all views share: see main.js. */
export const Page = createContext(/** @type {import("./types").PageState} */ (/** @type {unknown} */ (null)));
export const usePage = () => useContext(Page);

/** @param {number | null | undefined} value */
export function number(value, digits = 3) {
  if (value === null || value === undefined) return "";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return Number(value.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
}
/** A number that may be a year. @param {number} value */
export const plain = (value) => (Number.isInteger(value) && Math.abs(value) < 10_000 ? String(value) : number(value));
/** @param {number} value */
export const percent = (value) =>
  value > 0 && value < 0.0005 ? "<0.1%" : `${(100 * value).toFixed(100 * value < 9.95 ? 1 : 0)}%`;
/** A field as people write it. @param {string} name */
export const fieldName = (name) => name.replaceAll("_", " ");
/** @param {number} count @param {string} one */
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
/** Two counts, or one if they are equal. @param {number} a @param {number} b @param {string} one */
export const pluralBoth = (a, b, one) => (a === b ? plural(a, one) : `${number(a)} and ${plural(b, one)}`);
/** @param {string} text */
export const shorten = (text, most = 60) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

/** Tell those who listen to the page. @param {string} text */
export function say(text) {
  const place = document.getElementById("said");
  if (place) place.textContent = text;
}

/** Would the same question be refused again? Not so if it came too late (408), too early (409) or too often (429).
 * @param {number} status */
const isRefusal = (status) => status >= 400 && status < 500 && ![408, 409, 429].includes(status);

/** What is wrong and what to do next, where the user is looking. */
export function Trouble({ problem, retry = null }) {
  useEffect(() => problem && say(`${problem.message} ${problem.hint ?? ""}`), [problem]);
  if (!problem) return null;
  return html`<div class="problem" role="alert">
    <p class=${problem.message.includes("\n") ? "lines" : ""}><strong>${problem.message}</strong> ${problem.hint}</p>
    ${retry && !isRefusal(problem.status) && html`<button type="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

/** Remarks on an answer, folded away unless they are few. */
export function Notes({ notes }) {
  if (!notes?.length) return null;
  const list = html`<ul class="notes">
    ${notes.map((note) => html`<li>${note[0].toUpperCase() + note.slice(1)}</li>`)}
  </ul>`;
  return html`<details class="quiet-fold">
    <summary>${plural(notes.length, "remark")} on this answer</summary>
    ${list}
  </details>`;
}

const STATES = { waiting: "Waiting for its turn", running: "Working" };

/** How far a job is, with the time that is left, and a way to give it up. */
export function Progress({ job, cancel }) {
  const begun = useRef({ stage: /** @type {string | null} */ (null), at: 0, done: 0, share: 0, seen: 0 });
  const stage = job?.stage ?? "";
  const share = job?.total ? job.done / job.total : null;
  const now = Date.now();
  if (begun.current.stage !== stage)
    begun.current = { stage, at: now, done: job?.done ?? 0, share: share ?? 0, seen: now };
  if (share !== null && share !== begun.current.share) Object.assign(begun.current, { share, seen: now });
  // The pace up to the last step; while there is no other, the time that is left runs down.
  const { at, done, seen } = begun.current;
  const gained = share === null ? 0 : share - done / job.total;
  const rest = gained > 0.02 ? ((1 - (share ?? 0)) * (seen - at)) / gained - (now - seen) : 0;
  const left = now - at > 1500 && rest > 0 ? Math.ceil(rest / 1000) : null;
  const isOpen = share === null && job?.state === "running" && now - at > 3000; // nobody knows how long it takes
  const time =
    left !== null
      ? `, about ${duration(left)} left`
      : isOpen && `, ${duration(Math.round((now - at) / 1000))} so far`;
  const named = stage.replace(/, seconds$/, ""); // they are counted here
  const text = named ? named[0].toUpperCase() + named.slice(1) : (STATES[job?.state] ?? "Starting");
  useEffect(() => say(text), [text]);
  return html`<div class="working" role="group" aria-label="Work in progress">
    <progress max="1" value=${share ?? undefined} aria-label="Progress"></progress>
    <span class="small">
      ${text}${share !== null && `, ${Math.round(100 * share)}%`}${time}
    </span>
    ${cancel && html`<button type="button" onClick=${cancel}>Cancel</button>`}
  </div>`;
}
const duration = (seconds) => (seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

/** The state of a question: trouble, progress, or its answer; the last answer stays while the next is on its way. */
export function Outcome({ asked, children, wait = "Looking…" }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!asked.busy) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), 200); // what is quick does not flicker
    return () => clearTimeout(timer);
  }, [asked.busy]);
  if (asked.problem) return html`<${Trouble} problem=${asked.problem} retry=${asked.retry} />`;
  const late = asked.busy && slow;
  return html`<div aria-busy=${asked.busy ? "true" : undefined}>
    ${late && asked.job && html`<${Progress} job=${asked.job} cancel=${asked.cancel} />`}
    ${late && !asked.job && !asked.answer && html`<p class="hint">${wait}</p>`}
    ${asked.answer && html`<div class=${late ? "stale" : ""}>${children(asked.answer)}</div>`}
  </div>`;
}

/** One of few: a row of buttons that are radio buttons. */
export function Choice({ label, name, value, choices, onChange, hidden = false }) {
  return html`<fieldset class="choice">
    <legend class=${hidden ? "unseen" : ""}>${label}</legend>
    <div class="segments">
      ${choices.map(
        ([key, text, title]) =>
          html`<label title=${title}
            ><input type="radio" name=${name} value=${key} checked=${key === value} onChange=${() => onChange(key)} />
              <span
              >${text}</span
            ></label
          >`,
      )}
    </div>
  </fieldset>`;
}

export function Select({ label, value, choices, onChange, hidden = false }) {
  return html`<label class="field"
    ><span class=${hidden ? "unseen" : ""}>${label}</span>
    <select value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${choices.map((one) => {
        const [key, text] = Array.isArray(one) ? one : [one, one];
        return html`<option value=${key} selected=${String(key) === String(value ?? "")}>${text}</option>`;
      })}
    </select>
  </label>`;
}

export function Check({ label, checked, onChange, title = "" }) {
  return html`<label class="check" title=${title}
    ><input type="checkbox" checked=${checked} onChange=${(event) => onChange(event.target.checked)} />${label}</label
  >`;
}

const PAUSE = 250; // milliseconds after the last letter

/** A field whose value counts as soon as typing pauses; it keeps what is typed whatever is drawn around it. */
export function Typed({ value, onInput, tag = "input", pause = PAUSE, ...rest }) {
  const [text, setText] = useState(value);
  const own = useRef({ sent: value, timer: 0, box: /** @type {any} */ (null) });
  useEffect(() => {
    if (value !== own.current.sent) {
      own.current.sent = value; // it was changed elsewhere: by going back, or by a link
      clearTimeout(own.current.timer);
      setText(value);
    }
  }, [value]);
  useEffect(() => () => clearTimeout(own.current.timer), []);
  const send = (next) => {
    clearTimeout(own.current.timer);
    if (next === own.current.sent) return;
    own.current.sent = next;
    onInput(next);
  };
  const input = (event) => {
    const next = event.target.value;
    setText(next);
    clearTimeout(own.current.timer);
    own.current.timer = window.setTimeout(() => send(next), pause);
  };
  const grow = () => {
    const box = own.current.box;
    if (tag !== "textarea" || !box) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, 240)}px`;
  };
  useEffect(grow, [text]);
  const key = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send(event.target.value);
    }
  };
  return html`<${tag}
    autocomplete="off"
    ...${rest}
    value=${text}
    onInput=${input}
    onKeyDown=${rest.onKeyDown ?? key}
    ref=${(box) => (own.current.box = box)}
  />`;
}

/** A table; a column is [title, value of a row, is it a number]. */
export function Table({ columns, rows, caption, hideCaption = false }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class=${hideCaption ? "unseen" : ""}>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(([title, , numeric]) => html`<th scope="col" class=${numeric ? "n" : ""}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map(([, get, numeric]) => {
                const value = get(row);
                return html`<td class=${numeric ? "n" : ""}>
                  ${typeof value === "number" ? number(value) : value}</td>`;
              })}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A button that opens a list under it; Escape and leaving it close it. */
export function Menu({ label, title = "", children, class: name = "" }) {
  const box = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  const [open, setOpen] = useState(false);
  const close = () => box.current && (box.current.open = false);
  useEffect(() => {
    if (!open) return;
    const away = (event) => !box.current?.contains(event.target) && close();
    addEventListener("pointerdown", away);
    return () => removeEventListener("pointerdown", away);
  }, [open]);
  return html`<details
    class="menu ${name}"
    ref=${box}
    onToggle=${(event) => setOpen(event.target.open)}
    onKeyDown=${(event) => {
      if (event.key !== "Escape" || !open) return;
      event.stopPropagation();
      close();
      /** @type {HTMLElement} */ (box.current?.firstElementChild)?.focus();
    }}
    onFocusOut=${(event) => event.relatedTarget && !box.current?.contains(event.relatedTarget) && close()}
  >
    <summary title=${title}>${label}</summary>
    ${open && html`<div class="menu-list">${children(close)}</div>`}
  </details>`;
}

/** @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {string} text @param {string} what */
export async function copy(text, what) {
  const done = await (navigator.clipboard?.writeText(text).then(
    () => true,
    () => copySelected(text),
  ) ?? copySelected(text));
  const refused = `${what} could not be copied: this browser does not allow it. Select the text and copy it.`;
  toast(done ? `${what} copied.` : refused);
}

/** Copy a text as a person would, where the page may not write to the clipboard: on plain http, from elsewhere.
 * @param {string} text */
function copySelected(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "unseen";
  (focused?.closest("dialog") ?? document.body).append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  focused?.focus();
  return done;
}

/** Keep a choice in this browser, if it has room for it. @param {string} name @param {string} value */
export function keepChoice(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    return; // only a convenience
  }
}

let fading = 0;
/** A word on what was done, seen and heard. @param {string} text */
export function toast(text, seconds = 3) {
  say(text);
  const place = document.getElementById("toast");
  if (!place) return;
  place.textContent = text;
  place.hidden = false;
  clearTimeout(fading);
  fading = window.setTimeout(() => (place.hidden = true), 1000 * seconds);
}
