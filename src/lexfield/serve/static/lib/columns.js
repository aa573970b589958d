// @ts-check
// A look at the columns of a table before it is sent: its first rows are read here, in the browser.

const START = 64_000; // bytes
const ROWS = 5;
// What the server takes for the text and the title unless it is told otherwise.
const TEXTS = ["text", "body", "content", "sentence", "abstract", "description"];
const TITLES = ["title", "summary"];

/** @typedef {{ names: string[], rows: Record<string, string>[], text: string, title: string, id: string }} Columns */

/** The columns of a csv, tsv or jsonl file; null for others. @param {File} file @returns {Promise<Columns | null>} */
export async function readColumns(file) {
  const kind = /\.(csv|tsv|jsonl|ndjson)$/i.exec(file.name)?.[1].toLowerCase();
  if (!kind) return null;
  const start = await file.slice(0, START).text();
  const isWhole = file.size <= START;
  const rows = kind === "csv" || kind === "tsv" ? readTable(start, kind, isWhole) : readLines(start, isWhole);
  if (!rows.length) return null;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const first = (list) => list.find((name) => names.includes(name)) ?? "";
  return { names, rows, text: first(TEXTS), title: first(TITLES), id: first(["id"]) };
}

/** @param {string} start @param {boolean} isWhole */
function readLines(start, isWhole) {
  const lines = start.split("\n");
  if (!isWhole) lines.pop();
  return lines.slice(0, ROWS).flatMap((line) => {
    try {
      const row = JSON.parse(line);
      return typeof row === "object" && row ? [row] : [];
    } catch {
      return []; // the server says what is wrong with it
    }
  });
}

/** @param {string} start @param {string} kind @param {boolean} isWhole */
function readTable(start, kind, isWhole) {
  const mark = kind === "tsv" ? "\t" : ",";
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < start.length && rows.length < ROWS + 3; i++) {
    const row = rows[rows.length - 1];
    const letter = start[i];
    if (quoted && letter === '"' && start[i + 1] === '"') row[row.length - 1] += start[i++];
    else if (letter === '"' && (quoted || row[row.length - 1] === "")) quoted = !quoted;
    else if (!quoted && letter === mark) row.push("");
    else if (!quoted && letter === "\n") rows.push([""]);
    else if (letter !== "\r") row[row.length - 1] += letter;
  }
  if (!isWhole || rows[rows.length - 1].join("") === "") rows.pop(); // it may be cut
  const [names, ...others] = rows;
  return others.slice(0, ROWS).map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? ""])));
}
