// @ts-check
// Groups of the points of a map: by the values of a field, or by steps of a number or a date.
import { plain } from "./ui.js";

export const COLOURS = 8; // colours; a field with more values has seven and the rest
export const STEPS = 12; // of a gradient
export const NO_VALUE = "none";

/** @typedef {{ x: number, y: number, id: string, name: string, value: any, detail: string }} Point */

const CLEAR = 4; // times the usual odds of a group, where its name is written

const DAY = 864e5; // milliseconds
/** A date such as 2022-05-25 or 25/May/22 in days, or NaN. @param {unknown} value */
function readDay(value) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(String(value)) ?? [];
  if (year) return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY;
  const [named] = /^\d{1,2}[/ -][a-z]{3,9}[/ -]\d{2,4}(?!\d)/i.exec(String(value)) ?? [];
  return named ? Math.floor(Date.parse(`${named} UTC`) / DAY) : NaN;
}
const showDay = (day) => new Date(day * DAY).toISOString().slice(0, 10);

/** The groups of points by the values of a field. @param {Point[]} points */
export function groupPoints(points) {
  const values = points.map((one) => one.value ?? "");
  const given = values.filter((one) => one !== "");
  const isDate = given.length > 0 && given.every((one) => Number.isFinite(readDay(one)));
  const read = isDate ? readDay : Number;
  const numbers = given.map(read);
  if (numbers.length && numbers.every(Number.isFinite) && new Set(numbers).size > COLOURS) {
    // Every step has as many points, so that a few large numbers do not make all others look alike.
    const sorted = numbers.sort((a, b) => a - b);
    const bounds = Array.from({ length: STEPS + 1 }, (_, i) => sorted[Math.floor((i / STEPS) * (sorted.length - 1))]);
    const bin = (value) => {
      const above = bounds.findIndex((bound, i) => i > 0 && read(value) < bound);
      return value === "" ? STEPS : above < 0 ? STEPS - 1 : above - 1;
    };
    const shown = bounds.map(isDate ? showDay : plain);
    return {
      kind: "gradient",
      bounds: shown,
      names: [],
      isOther: () => false,
      of: values.map(bin),
      count: STEPS + 1,
      isDate,
    };
  }
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || String(a[0]).localeCompare(String(b[0])));
  const shown = sorted.length > COLOURS ? sorted.slice(0, COLOURS - 1) : sorted;
  const names = shown.map(([value, count]) => [value === "" ? NO_VALUE : String(value), count]);
  const hasOthers = sorted.length > COLOURS;
  if (hasOthers)
    names.push([
      `other (${sorted.length - shown.length} values)`,
      points.length - shown.reduce((sum, [, count]) => sum + count, 0),
    ]);
  const at = new Map(shown.map(([value], i) => [value, i]));
  return {
    kind: "values",
    isDate: false,
    bounds: [],
    names,
    isOther: (group) => hasOthers && group === COLOURS - 1,
    of: values.map((value) => at.get(value) ?? COLOURS - 1),
    count: names.length,
  };
}

/** Where to write the names of groups: where a group is densest, if most points there are of it, and clearly more than
 * elsewhere. @param {Point[]} points @param {any} groups @param {(point: Point) => number[]} place */
export function nameGroups(points, groups, place) {
  if (groups.kind !== "values") return [];
  const side = Math.max(8, Math.min(24, Math.round(Math.sqrt(points.length))));
  const cells = points.map((point) => place(point).map((share) => Math.min(side - 1, Math.floor(share * side))));
  /** Sums over each cell and its neighbours. @param {(i: number) => boolean} isCounted */
  const spread = (isCounted) => {
    const sums = new Float64Array((side + 2) ** 2);
    cells.forEach(([x, y], i) => {
      if (!isCounted(i)) return;
      for (const dx of [0, 1, 2]) for (const dy of [0, 1, 2]) sums[(x + dx) * (side + 2) + y + dy]++;
    });
    return sums;
  };
  const all = spread(() => true);
  return groups.names.flatMap(([name, count], group) => {
    if (name === NO_VALUE || groups.isOther?.(group)) return [];
    const own = spread((i) => groups.of[i] === group);
    const odds = Math.max(1, (CLEAR * count) / (points.length - count));
    const isOurs = (cell) => own[cell] >= 3 && own[cell] >= odds * (all[cell] - own[cell]);
    const best = own.reduce((top, sum, cell) => (isOurs(cell) && sum > (own[top] ?? 0) ? cell : top), -1);
    if (best < 0) return [];
    const [bx, by] = [Math.floor(best / (side + 2)) - 1, (best % (side + 2)) - 1];
    const near = points.filter(
      (_, i) => groups.of[i] === group && Math.abs(cells[i][0] - bx) < 2 && Math.abs(cells[i][1] - by) < 2,
    );
    const mean = (axis) => near.reduce((sum, point) => sum + place(point)[axis], 0) / near.length;
    return [{ x: mean(0), y: mean(1), name, group }];
  });
}
