// @ts-check
// What is in the collection, at a glance, and what one could ask of it.
import { useMemo, useState } from "../vendor/preact-htm.js";
import { useAnswer } from "../lib/api.js";
import { Export } from "../lib/export.js";
import { anyOf } from "../lib/filter.js";
import { Points } from "../lib/points.js";
import { useQuestions } from "../lib/questions.js";
import { href } from "../lib/route.js";
import { DocumentLink, read, titleOf } from "../lib/text.js";
import { Notes, Outcome, fieldName, html, number, usePage } from "../lib/ui.js";
import { MOST, colourField, mapOptions, placePoints, usualKind } from "./map.js";

const NAMES = { search: "Search", compare: "Compare", trends: "Trends", map: "Map", topics: "Topics" };
const LONG = 45; // letters of a title that takes a line of its own
const FEW = 24; // documents whose words are shown at first
const LISTED = 2000; // documents, at most
const RARE = 0.05; // of the documents: a language of fewer is rather a mistake
const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language" });
const languageOf = (code) => {
  try {
    return LANGUAGES.of(code) ?? code;
  } catch {
    return code;
  }
};

export function Overview() {
  const { index, where, about } = usePage();
  const options = { index, where };
  const found = useAnswer("overview", options);
  return html`${!found.answer && html`<h1>${about.id}</h1>`}
    <${Outcome} asked=${found} wait="Reading the collection…">
      ${(answer) => html`<${Summary} answer=${answer} options=${options} />`}
    </${Outcome}>`;
}

function Summary({ answer, options }) {
  const { index, about, where } = usePage();
  const questions = useQuestions();
  const all = useAnswer("documents", { index, where, k: LISTED }).answer?.results ?? [];
  // An unusual sentence may be of a document beyond those that are listed.
  const listed = new Set(all.map((one) => one.id));
  const others = answer.unusual.map((one) => one.document).filter((id) => !listed.has(id));
  const isCut = all.length === LISTED && others.length > 0;
  const few = useAnswer("documents", isCut ? { index, where: [anyOf("id", others)] } : null).answer?.results ?? [];
  const documents = [...all, ...few];
  const metadata = useMemo(() => new Map(documents.map((one) => [one.id, one.metadata])), [all, few]);
  const texts = answer.unusual.map((one) => one.text);
  const unusual = answer.unusual.filter((one, i) => texts.indexOf(one.text) === i); // a text may repeat itself
  const facts = [
    [answer.documents, answer.documents === 1 ? "document" : "documents"],
    [answer.sentences, "sentences"],
    [answer.words, "words"],
  ];
  const known = answer.languages.filter((one) => one.language !== "unknown");
  const counted = known.reduce((sum, one) => sum + one.documents, 0);
  const languages = known.filter((one) => one.documents > RARE * counted).map((one) => languageOf(one.language));
  const rest = languages.length - 3;
  if (!answer.documents)
    return html`<h1>${about.id}</h1>
      <p class="hint">No document passes the filter. Clear it on the left, or choose less.</p>`;
  return html`<div class="spread">
      <h1>${about.id}</h1>
      <${Export} verb="overview" options=${options} title=${`${index}: overview`} results=${answer.distinctive} />
    </div>
    <dl class="facts">
      ${facts.map(([value, name]) => html`<div><dt>${name}</dt><dd>${number(value)}</dd></div>`)}
      ${
        languages.length > 0 &&
        html`<div><dt>${languages.length === 1 ? "language" : "languages"}</dt>
        <dd>${languages.slice(0, 3).join(", ")}${rest > 0 && ` and ${rest} more`}</dd></div>`
      }
    </dl>
    ${
      questions.length > 0 &&
      html`<h2>Ask it something</h2>
      <ul class="questions">
        ${questions.map(
          (one) =>
            html`<li>
              <a href=${href(one.view, one.values)}><span class="kind">${NAMES[one.view] ?? one.view}</span>
                <span>${one.text}</span></a>
            </li>`,
        )}
      </ul>`
    }
    <div class="overview">
      <${Thumbnail} />
      ${
        answer.unusual.length > 0 &&
        html`<section aria-label="Unusual sentences">
          <h2>Unusual sentences</h2>
          <ul class="plain">
            ${unusual.map(
              (one) =>
                html`<li class="unusual">
                  <button type="button" class="text-button"
                    onClick=${() => read(one.document, sentenceOf(one.id))}>${one.text}</button>
                  <span class="small"><${DocumentLink} id=${one.document} metadata=${metadata.get(one.document)}
                    sentence=${sentenceOf(one.id)} />${one.why && `: ${one.why}`}</span>
                </li>`,
            )}
          </ul>
        </section>`
      }
    </div>
    <section aria-label="What is special about each">
      <h2>${answer.documents === 1 ? "What it says most" : "What each says more than the others"}</h2>
      <${Distinctive} list=${answer.distinctive.filter((one) => one.words.length)} metadata=${metadata} />
    </section>
    <${Notes} notes=${answer.notes} />`;
}

/** The number of a sentence in its id, such as pell-sea#12. @param {string} id */
export const sentenceOf = (id) => {
  const found = /#(\d+)$/.exec(id);
  return found ? Number(found[1]) : null;
};

function Distinctive({ list, metadata }) {
  const [all, setAll] = useState(false);
  const rest = list.length - FEW;
  const isLong = list.some((one) => titleOf(one.document, metadata.get(one.document)).length > LONG);
  return html`<ul class=${`distinctive ${isLong ? "long" : ""}`}>
    ${list.slice(0, all || rest < 4 ? list.length : FEW).map(
      (one) =>
        html`<li key=${one.document}>
          <${DocumentLink} id=${one.document} metadata=${metadata.get(one.document)} />
          <span class="words">
            ${one.words.map(
              ({ word }) =>
                html`<a href=${href("trends", { q: [word], document: one.document })}
                  title=${`Where “${word}” stands in ${titleOf(one.document, metadata.get(one.document))}`}>
                    ${word}</a> `,
            )}
          </span>
        </li>`,
    )}
  </ul>
  ${
    !all &&
    rest >= 4 &&
    html`<button type="button" class="quiet" onClick=${() => setAll(true)}>Show ${number(rest)} more</button>`
  }`;
}

function Thumbnail() {
  const { index, where, about } = usePage();
  const kind = usualKind(about);
  const most = kind === "meaning" ? MOST : 500;
  const isShown = about.documents > 2 && about.documents <= most;
  const found = useAnswer("map", isShown ? { index, where, ...mapOptions(kind) } : null, { job: true });
  const by = colourField(about, null);
  const points = useMemo(() => placePoints(found.answer?.results ?? [], by), [found.answer]);
  if (!isShown) return null;
  return html`<section aria-label="Map" class="thumbnail">
    <div class="spread"><h2>Which are alike</h2><a href=${href("map", null)}>Open the map</a></div>
    <${Outcome} asked=${found} wait="Drawing…">
      ${() => html`<${Points} small points=${points} label=${`Small map of ${points.length} documents`} name="map"
        title="Map" labels=${8} onPoint=${(one) => read(one.id)} />
        <p class="small">Documents with similar ${kind === "meaning" ? "meanings" : "words"} are close
          together${by && `, coloured by ${fieldName(by)}`}.</p>`}
    </${Outcome}>
  </section>`;
}
