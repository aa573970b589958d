// @ts-check
// Whose text is it? A pasted text beside every author (or genre, or level) of the collection, with the evidence.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { keepPaste, usePaste } from "../lib/pastes.js";
import { change } from "../lib/route.js";
import { Notes, Outcome, Select, Table, Trouble, fieldName, html, number, percent, usePage } from "../lib/ui.js";

export function Author() {
  const { index, where, about, params } = usePage();
  const fields = Object.keys(about.metadata).filter((name) => {
    const counts = Object.values(about.metadata[name]);
    return counts.length > 1 && counts.some((count) => count > 1);
  });
  const by = fields.includes(params.get("by") ?? "")
    ? params.get("by")
    : fields.includes("author")
      ? "author"
      : fields[0];
  const asked = params.get("text") ?? "";
  const kept = usePaste(asked);
  const [typed, setTyped] = useState(/** @type {string | null} */ (null)); // what is not yet asked
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const text = typed ?? kept;
  useEffect(() => setTyped(null), [asked]);
  const options = asked && by ? { index, where, by, text: asked } : null;
  const found = useAnswer("attribute", options, { job: true });
  const guess = async (event) => {
    event.preventDefault();
    if (!text.trim())
      return setProblem({ message: "There is no text yet.", hint: "Paste one above; the longer, the surer." });
    setProblem(null);
    try {
      const next = await keepPaste(text);
      if (next === asked && found.problem) found.retry();
      else change({ text: next });
    } catch (error) {
      setProblem(error);
    }
  };
  if (!by) return html`<p class="hint">No field groups these documents. Add a column such as author.</p>`;
  return html`<p class="lead">Paste a text, and see whose style it is most like.</p>
    <form class="stack" onSubmit=${guess} aria-label="Whose text is it">
      <label class="field"><span>Your text</span><textarea rows="6" value=${text}
        onInput=${(event) => setTyped(event.target.value)}></textarea></label>
      <div class="row">
        <${Select} label="Guess its" value=${by} choices=${fields.map((name) => [name, fieldName(name)])}
          onChange=${(value) => change({ by: value })} />
        <button class="main" type="submit">Guess</button>
      </div>
    </form>
    <${Trouble} problem=${problem} />
    ${
      options &&
      html`<${Outcome} asked=${found} wait="Reading the texts…">
        ${(answer) => html`<${Guess} answer=${answer} options=${options} />`}
      </${Outcome}>`
    }`;
}

function Guess({ answer, options }) {
  const { index } = usePage();
  const one = answer.results[0];
  const first = one.candidates[0].label;
  const title = `Whose text? ${one.label ? `Most like ${one.label}` : "Undecided"}`;
  return html`<section aria-label="The guess">
      <div class="spread">
        <p class="verdict">${one.label && "Most like "}<strong id="guess">${one.label ?? "Undecided"}</strong> <span
          class="small">
            ${one.label && `${percent(one.probability)} sure, if it is one of these; `}
            ${`right for ${percent(one.accuracy)} of known texts of this length`}</span></p>
        <${Export} verb="attribute" options=${options} title=${`${index}: ${title}`} results=${one.candidates} />
      </div>
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
      <${Notes} notes=${answer.notes} />
    </section>`;
}
