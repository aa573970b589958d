// @ts-check
// The filter of all views: conditions on metadata, such as author=austen,eliot and year=1850..1900.
import { change, parameters } from "./route.js";

/** @typedef {{ field: string, sign: string, value: string, text: string }} Condition */

/** @param {string} text @returns {Condition} */
export function parse(text) {
  const found = /^(.*?)(!=|>=|<=|=|<|>)(.*)$/s.exec(text);
  return found
    ? { field: found[1], sign: found[2], value: found[3], text }
    : { field: text, sign: "", value: "", text };
}

/** The values that are chosen of a field. @param {string[]} where @param {string} field */
export function chosen(where, field) {
  const one = where.map(parse).find((each) => each.field === field && each.sign === "=");
  return one && !/^[^,]*\.\.[^,]*$/.test(one.value) ? split(one.value) : [];
}

/** A comma separates values; one that is part of a value has a backslash before it. @param {string} list */
const split = (list) => (list.match(/(?:\\.|[^,\\])+/g) ?? [""]).map((one) => one.replace(/\\(.)/g, "$1"));
/** @param {string[]} values */
export const join = (values) => values.map((one) => one.replace(/[\\,]/g, "\\$&")).join(",");

/** The bounds that are set on a field. @param {string[]} where @param {string} field */
export function bounds(where, field) {
  const one = where.map(parse).find((each) => each.field === field && each.sign === "=" && each.value.includes(".."));
  const [low, high] = one ? one.value.split("..") : ["", ""];
  return { low, high };
}

/** Put one condition on a field, or none. @param {string} field @param {string} value */
export function setCondition(field, value) {
  const others = parameters()
    .getAll("where")
    .filter((one) => parse(one).field !== field);
  change({ where: value ? [...others, `${field}=${value}`] : others });
}

/** @param {string} field @param {string} value */
export function toggle(field, value) {
  const now = chosen(parameters().getAll("where"), field);
  setCondition(field, join(now.includes(value) ? now.filter((one) => one !== value) : [...now, value]));
}

/** @param {string} text */
export const drop = (text) =>
  change({
    where: parameters()
      .getAll("where")
      .filter((one) => one !== text),
  });
export const clear = () => change({ where: null });

/** A condition in words. @param {string} text */
export function describe(text) {
  const { field, sign, value } = parse(text);
  if (field === "id" && sign === "=") {
    const ids = split(value);
    return ids.length > 2 ? `${ids.length} documents` : ids.join(" or ");
  }
  if (sign === "=" && value.includes("..")) {
    const [low, high] = value.split("..");
    return low && high ? `${field} ${low} to ${high}` : low ? `${field} from ${low}` : `${field} up to ${high}`;
  }
  const words = { "=": "is", "!=": "is not", ">=": "from", "<=": "up to", "<": "below", ">": "above" };
  return `${field} ${words[sign] ?? sign} ${split(value).join(" or ")}`;
}
