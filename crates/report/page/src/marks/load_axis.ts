// The axis of loads. Levels stand at their load, or side by side if they would overlap.

import type { Level, PageData } from "../data.ts";
import { short } from "../format.ts";
import { linear, logarithmic } from "../scale.ts";
import { join, line, text, widthOf, type Svg } from "../svg.ts";
import { mark } from "./shapes.ts";

/** Narrowest distance of two columns in pixels. */
const NARROWEST = 13;

export interface LoadAxis {
  /** Indices of the levels, lowest load first. */
  order: number[];
  /** Returns the middle of a level's column. */
  at(level: number): number;
  /** Width of the columns. */
  column: number;
  title: string;
}

const loadOf = (levels: readonly Level[], index: number): number => levels[index]?.load ?? 0;

export function loadAxis(data: PageData, left: number, right: number): LoadAxis {
  const { levels } = data;
  const order = levels.map((_, index) => index).sort((a, b) => loadOf(levels, a) - loadOf(levels, b) || a - b);
  const loads = order.map((index) => loadOf(levels, index));
  const [low, high] = [loads[0] ?? 1, loads.at(-1) ?? 1];
  const pad = Math.min(0.5 / Math.max(1, order.length), 0.09) * (right - left);
  const ends = [left + pad, right - pad] as const;
  const title = data.open ? "Planned rate (iterations per second)" : "Users";
  const wide = high >= 10 * low && low > 0;
  const spreads = [...(wide ? [{ spread: logarithmic(low, high, ...ends), title: `${title}, logarithmic` }] : []), { spread: linear(low, high, ...ends), title }];
  for (const { spread, title } of order.length > 1 ? spreads : []) {
    const gaps = loads.slice(1).map((load, index) => spread(load) - spread(loads[index] ?? 0));
    const narrowest = Math.min(right - left, ...gaps);
    if (narrowest >= NARROWEST) return { order, at: (level) => spread(loadOf(levels, level)), column: Math.min(56, narrowest * 0.72), title };
  }
  const width = (right - left) / Math.max(1, order.length);
  const place = new Map(order.map((level, index) => [level, left + (index + 0.5) * width]));
  const spaced = order.length > 1 ? `${title}, levels side by side` : title;
  return { order, at: (level) => place.get(level) ?? left, column: Math.min(56, width * 0.72), title: spaced };
}

/** Returns the limits of the place around a level that belongs to it. */
export function zoneOf(axis: LoadAxis, level: number, left: number, right: number): [number, number] {
  const index = axis.order.indexOf(level);
  const [before, after] = [axis.order[index - 1], axis.order[index + 1]];
  return [
    before === undefined ? left : (axis.at(before) + axis.at(level)) / 2,
    after === undefined ? right : (axis.at(after) + axis.at(level)) / 2,
  ];
}

/** Returns the line, the loads, the results and the title below a chart. Where loads would overlap, some are omitted. */
export function loadLabels(data: PageData, axis: LoadAxis, left: number, right: number, y: number, first: readonly number[]): Svg {
  const shown: { x: number; half: number }[] = [];
  const pieces: Svg[] = [line(left, y, right, y, { class: "axis" })];
  const ends = [axis.order[0], axis.order.at(-1)].filter((level) => level !== undefined);
  for (const level of new Set([...first, ...ends, ...axis.order])) {
    const content = short(loadOf(data.levels, level));
    const [x, half] = [axis.at(level), widthOf(content) / 2 + 4];
    if (shown.some((other) => Math.abs(other.x - x) < other.half + half)) continue;
    shown.push({ x, half });
    pieces.push(text(content, x, y + 18, { "text-anchor": "middle" }));
  }
  for (const level of axis.order) pieces.push(mark(data.levels[level] ?? { status: "measured" }, axis.at(level), y + 31, Math.min(5.5, axis.column / 2)));
  pieces.push(text(axis.title, (left + right) / 2, y + 55, { "text-anchor": "middle" }));
  return join(pieces);
}

/** Returns the last level that held and the first that did not, if all below held and none above did. */
export function ceiling(data: PageData, axis: LoadAxis): [number, number] | null {
  const held = axis.order.map((level) => data.levels[level]?.status === "held");
  const index = held.indexOf(false);
  if (index <= 0 || held.lastIndexOf(true) > index) return null;
  const [below, above] = [axis.order[index - 1], axis.order[index]];
  return below === undefined || above === undefined || data.levels[above]?.status === "measured" ? null : [below, above];
}
