// @ts-check
// The filter of all views: conditions on metadata, such as author=austen, year=1850..1900 and id=emma,ulysses.
// Conditions on one field are alternatives; those on different fields must all hold.
import { isPaste } from "./pastes.js";
import { change, parameters } from "./route.js";
import { fieldName, number } from "./ui.js";

const now = () => parameters().getAll("where");

/** @param {string} text */
export function parse(text) {
  if (isPaste(text)) return { field: "id", sign: "=", value: text }; // many documents
  const found = /^(.*?)(!=|>=|<=|=|<|>)(.*)$/s.exec(text);
  return found ? { field: found[1], sign: found[2], value: found[3] } : { field: text, sign: "", value: "" };
}
const RANGE = /^[^,]*\.\.[^,]*$/;

/** A condition that any of some values meets. Those with commas or quotes are quoted, as in CSV.
 * @param {string} field @param {string[]} values */
export const anyOf = (field, values) =>
  `${field}=${values.map((one) => (/[",]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(",")}`;

/** The values of a list. @param {string} text */
const split = (text) =>
  [...text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)/g)]
    .map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare)
    .filter(Boolean);

/** The values that are chosen of a field. @param {string[]} where @param {string} field */
export const chosen = (where, field) =>
  where
    .map(parse)
    .filter((one) => one.field === field && one.sign === "=" && !RANGE.test(one.value))
    .map((one) => one.value);

/** The bounds that are set on a field. @param {string[]} where @param {string} field */
export function bounds(where, field) {
  const one = where.map(parse).find((each) => each.field === field && each.sign === "=" && RANGE.test(each.value));
  const [low, high] = one ? one.value.split("..") : ["", ""];
  return { low, high };
}

/** A filter to which a condition on a field can be added: what it says of that field would be an alternative.
 * Bounds still hold. @param {string[]} where @param {string} field */
export function narrow(where, field) {
  const { low, high } = bounds(where, field);
  const others = where.filter((one) => parse(one).field !== field || parse(one).sign !== "=");
  return [...others, ...(low ? [`${field}>=${low}`] : []), ...(high ? [`${field}<=${high}`] : [])];
}

/** Put one condition on a field, or none. @param {string} field @param {string} value */
export function setCondition(field, value) {
  const others = now().filter((one) => parse(one).field !== field);
  change({ where: value ? [...others, `${field}=${value}`] : others }, { typed: `where ${field}` });
}

/** @param {string} field @param {string} value */
export function toggle(field, value) {
  const text = `${field}=${value}`;
  const others = now().filter((one) => one !== text);
  change({ where: others.length < now().length ? others : [...others, text] });
}

/** @param {string} text */
export const drop = (text) => change({ where: now().filter((one) => one !== text) });
export const clear = () => change({ where: null });

const SIGNS = { "=": "is", "!=": "is not", ">=": "from", "<=": "up to", "<": "below", ">": "above" };

/** A condition in words. @param {string} text */
export function describe(text) {
  const { field, sign, value } = parse(text);
  if (!text) return "";
  if (field === "id" && sign === "=") {
    const ids = split(value);
    return ids.length > 2 ? `${number(ids.length)} documents` : ids.join(" or ");
  }
  if (sign === "=" && RANGE.test(value)) {
    const [low, high] = value.split("..");
    const name = fieldName(field);
    return low && high ? `${name} ${low} to ${high}` : low ? `${name} from ${low}` : `${name} up to ${high}`;
  }
  return `${fieldName(field)} ${SIGNS[sign] ?? sign} ${value || "empty"}`;
}
