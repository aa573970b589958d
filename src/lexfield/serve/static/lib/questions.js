// @ts-check
// What one could ask of the collection: the server suggests it, the page says it with titles.
import { useAnswer } from "./api.js";
import { single, titleOf } from "./text.js";
import { fieldName, shorten, usePage } from "./ui.js";

/** @typedef {{ view: string, text: string, values: Record<string, import("./types").Value> }} Asked */

/** The suggested questions, as addresses of the page. @param {string} [view] @returns {Asked[]} */
export function useQuestions(view = "") {
  const { index, where } = usePage();
  const questions = useAnswer("overview", { index, where }).answer?.questions ?? [];
  const documents = useAnswer("documents", { index, k: 2000 }).answer?.results ?? [];
  const title = (id = "") => `“${single(titleOf(id, documents.find((one) => one.id === id)?.metadata))}”`;
  return questions
    .filter((one) => !view || one.view === view)
    .map(({ view: where, text, parameters }) => {
      const { query, ...others } = parameters;
      const values = query === undefined ? others : { ...others, q: query };
      const words = {
        search: `Find sentences like “${single(shorten(String(query ?? ""), 90))}”`,
        compare: `How do ${title(others.a)} and ${title(others.b)} differ?`,
        trends: others.by
          ? `How often is “${query}” said, by ${fieldName(others.by)}?`
          : `Where in ${title(others.document)} is “${query}”?`,
      };
      const isPlain = where !== "compare" || (others.a && others.b);
      return { view: where, text: (isPlain && words[where]) || text, values };
    });
}
