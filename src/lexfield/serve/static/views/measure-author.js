// @ts-check
// Whose text is it? A pasted text beside every author (or genre, or level) of the collection, with the evidence.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { work } from "../lib/api.js";
import { change } from "../lib/route.js";
import { Notes, Progress, Select, Table, Trouble, html, number, percent, usePage } from "../lib/ui.js";

export function Author() {
  const { index, about, params } = usePage();
  const fields = Object.keys(about.metadata).filter((name) => {
    const counts = Object.values(about.metadata[name]);
    return counts.length > 1 && counts.some((count) => count > 1);
  });
  const by = fields.includes(params.get("by") ?? "")
    ? params.get("by")
    : fields.includes("author")
      ? "author"
      : fields[0];
  const [text, setText] = useState("");
  const [told, setTold] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [job, setJob] = useState(/** @type {any} */ (null));
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const guess = async (event) => {
    event.preventDefault();
    if (!text.trim())
      return setProblem({ message: "There is no text yet.", hint: "Paste one above; the longer, the surer." });
    leaving.current = new AbortController();
    setProblem(null);
    setJob({ state: "waiting" });
    try {
      setTold(await work("attribute", { index, by, text }, setJob, leaving.current.signal));
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") setProblem(error);
    } finally {
      setJob(null);
    }
  };
  if (!by) return html`<p class="hint">No field groups these documents. Add a column such as author.</p>`;
  const one = told?.results[0];
  const first = one?.candidates[0].label;
  return html`<p class="lead">Paste a text, and see whose style it is most like.</p>
    <form class="stack" onSubmit=${guess} aria-label="Whose text is it">
      <label class="field"><span>Your text</span><textarea rows="6" value=${text}
        onInput=${(event) => setText(event.target.value)}></textarea></label>
      <div class="row">
        <${Select} label="Guess its" value=${by} choices=${fields} onChange=${(value) => change({ by: value })} />
        <button class="main" type="submit" disabled=${!!job}>Guess</button>
      </div>
    </form>
    ${job && html`<${Progress} job=${job} cancel=${() => (leaving.current.abort(), setJob(null))} />`}
    <${Trouble} problem=${problem} />
    ${
      one &&
      html`<section aria-label="The guess">
      <p class="verdict">${one.label && "Most like "}<strong id="guess">${one.label ?? "Undecided"}</strong> <span
        class="small">
          ${one.label && `${percent(one.probability)} sure, if it is one of these; `}
          ${`right for ${percent(one.accuracy)} of known texts of this length`}</span></p>
      <ul class="shares">
        ${one.candidates.slice(0, 8).map(
          (each) =>
            html`<li>
              <span class="name">${each.label}</span> <span class="bar"
                style=${{ width: `${100 * each.probability}%` }}></span> <span
                  class="small">${percent(each.probability)}</span>
            </li>`,
        )}
      </ul>
      ${
        one.evidence.length > 0 &&
        html`<details class="quiet-fold" open>
        <summary>Evidence</summary>
        <${Table}
          caption=${`What speaks for ${first}; rates per 1,000`}
          columns=${[
            ["feature", (each) => each.type],
            ["in your text", (each) => number(each.text_rate), true],
            [`in ${first}`, (each) => number(each.author_rate), true],
            ["in the next", (each) => number(each.next_rate), true],
            ["context", (each) => each.context],
          ]}
          rows=${one.evidence}
        />
      </details>`
      }
      <${Notes} notes=${told.notes} />
    </section>`
    }`;
}
