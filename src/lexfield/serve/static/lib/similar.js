// @ts-check
// Passages that are similar to a sentence, under it, with the same colours for what corresponds.
import { useEffect, useMemo } from "../vendor/preact-htm.js";
import { useAnswer } from "./api.js";
import { addPin } from "./pins.js";
import { change, href, query } from "./route.js";
import { DocumentLink, Marked, colours, quotation, sourceOf, titleOf } from "./text.js";
import { Choice, Outcome, copy, html, usePage } from "./ui.js";

/** What is similar to a sentence, under it, with the same colours for what corresponds. */
export function Similar({ row, index, doc, metadata, close }) {
  const { where, view, params } = usePage();
  const scope = ["others", "here"].find((one) => one === params.get("similar")) ?? "true";
  const limits = { true: where, others: [...where, `id!=${doc}`], here: [`id=${doc}`] };
  const options = { index, like: row.id, method: ["best"], k: 6, where: limits[scope] };
  const found = useAnswer("search", options);
  const colourOf = useMemo(colours, [row.id]);
  useEffect(() => {
    if (!found.answer) return;
    const words = new Map();
    for (const hit of found.answer.results)
      for (const passage of hit.passages)
        for (const mark of passage.highlights) if (mark.weight >= 0.3) words.set(mark.query, colourOf(mark.query));
    dispatchEvent(new CustomEvent("tinted", { detail: { id: row.id, words } }));
  }, [found.answer]);
  const source = sourceOf(doc, metadata, row.sentence);
  const link = () => `${location.origin}/read?${query({ index, doc, s: row.sentence })}`;
  const pin = () => addPin({ index, title: titleOf(doc, metadata), quotes: [{ text: row.text, source }] });
  return html`<aside class="similar" aria-label="Similar passages">
    <div class="spread">
      ${view === "read" ? html`<h2>Similar passages</h2>` : html`<h3>Similar passages</h3>`}
      <div class="tools">
        <button type="button"
          onClick=${() => copy(quotation(row.text, source), "Quotation")}>Quote</button>
        <button type="button" onClick=${() => copy(link(), "Link")}>Link</button>
        <button type="button"
          onClick=${pin}>Pin</button>
        <a href=${href("search", { q: row.text })}>Search</a>
        <button type="button" aria-label="Close similar passages" onClick=${close}>×</button>
      </div>
    </div>
    <${Choice}
      label="Where"
      hidden
      name="scope"
      value=${scope}
      choices=${[
        ["true", "Everywhere"],
        ["others", "Other texts"],
        ["here", "This text"],
      ]}
      onChange=${(similar) => change({ similar }, { replace: true })}
    />
    <${Outcome} asked=${found}>
      ${(answer) =>
        answer.results.length
          ? html`<ol>
              ${answer.results.map(
                (hit) =>
                  html`<li key=${hit.id}>
                    <p class="text"><${Marked} passage=${hit.passages[0]} colourOf=${colourOf} /></p>
                    <${DocumentLink} id=${hit.document} metadata=${hit.metadata} sentence=${hit.passages[0].sentence}
                      class="small" />
                  </li>`,
              )}
            </ol>`
          : html`<p class="hint">Nothing similar. Try “Everywhere”, or another sentence.</p>`}
    </${Outcome}>
  </aside>`;
}
