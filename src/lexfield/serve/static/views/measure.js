// @ts-check
// Instruments: how words are spread, sums of words, related words, whose text it is, and what groups teach.
import { change } from "../lib/route.js";
import { Choice, html, usePage } from "../lib/ui.js";
import { Author } from "./measure-author.js";
import { Metric } from "./measure-metric.js";
import { Ranks } from "./measure-ranks.js";
import { Sums } from "./measure-sums.js";
import { Words } from "./measure-words.js";

const TOOLS = {
  ranks: ["Frequencies", Ranks],
  sums: ["Sums of words", Sums],
  words: ["Related words", Words],
  author: ["Whose text?", Author],
  metric: ["Learn from groups", Metric],
};

export function Measure() {
  const { params } = usePage();
  const tool = params.get("tool") ?? "ranks";
  const View = (TOOLS[tool] ?? TOOLS.ranks)[1];
  const others = Object.fromEntries(
    [...params.keys()]
      .filter((name) => !["index", "where", "doc", "s", "similar"].includes(name))
      .map((name) => [name, null]),
  );
  return html`<h1>Measure</h1>
    <${Choice}
      label="Instrument"
      hidden
      name="tool"
      value=${tool}
      choices=${Object.entries(TOOLS).map(([name, [title]]) => [name, title])}
      onChange=${(value) => change({ ...others, tool: value })}
    />
    <${View} key=${tool} />`;
}
