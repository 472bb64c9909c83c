// Latency second by second: a heat map of all times with p95, or a ribbon where only percentiles are known.

import { endOfSeries, rowStart, secondsOf, type Level, type PageData } from "../data.ts";
import { envelope, stepPath } from "../decimate.ts";
import { tick } from "../format.ts";
import { decades, logarithmic, logRange, type Scale } from "../scale.ts";
import { join, line, tag, type Svg } from "../svg.ts";
import { axisNumbers } from "./axes.ts";
import { windows, type Panel, type Place } from "./panel.ts";
import { heat, stroke } from "./shapes.ts";

/** Narrowest column of the heat map, in pixels. Narrower ones are merged. */
const NARROWEST = 2;
/** Number of shades. All cells of one shade are one path, because thousands of elements would be slow. */
const SHADES = 12;

/** Whether all times are known over time. Older records have only percentiles, and so does the live page. */
export const hasHeat = (data: PageData): boolean => data.levels.some((level) => level.heat.columns.length > 0);

/** Returns the panel, or null if no second has enough samples for a percentile, and no times are known. */
export function latencyOverTime(data: PageData): Panel | null {
  const known = hasHeat(data);
  const values = data.levels.flatMap((level) => [
    ...[...level.series.p50_ms, ...level.series.p99_ms, ...level.series.p95_ms].flatMap((ms) => ms ?? []),
    ...level.heat.columns.flatMap(([, rows]) => rows.flatMap(([row]) => [rowStart(row), rowStart(row + 1)])),
  ]);
  if (values.length === 0) return null;
  const [low, high] = logRange([...values, ...data.limits.map((limit) => limit.ms)]);
  return {
    title: "Latency",
    height: known ? 150 : 118,
    draw: (place) => {
      const y = logarithmic(low, high, place.bottom, place.top);
      const limits = data.limits.map((limit) => line(place.left, y(limit.ms), place.right, y(limit.ms), { class: "limit" }));
      const each = data.levels.map((level) => (level.heat.columns.length > 0 ? heatMap(level, place, y) : ribbon(level, place, y)));
      return join([axisNumbers(decades(low, high), y, place.left, place.right, tick), ...each, ...limits]);
    },
  };
}

/** Draws the cells of a level, and p95 on top. */
function heatMap(level: Level, place: Place, y: Scale): Svg {
  const { columns, width_s } = level.heat;
  // The last column may be wider than what is left of the level.
  const end = Math.min(columns.length * width_s, level.series.start_s.length > 0 ? endOfSeries(level.series) : Infinity);
  const merged = Math.max(1, Math.ceil(NARROWEST / (place.x(width_s) - place.x(0))));
  const paths = Array.from({ length: SHADES + 1 }, () => "");
  for (let first = 0; first < columns.length; first += merged) {
    const [from, to] = [first, first + merged].map((column) => place.x(level.started_s + Math.min(column * width_s, end))) as [number, number];
    if (to < place.left || from > place.right) continue;
    for (const [shade, low, high] of cells(columns.slice(first, first + merged))) {
      const [top, bottom] = [y(rowStart(high + 1)), y(rowStart(low))];
      paths[shade] += `M${from.toFixed(1)} ${top.toFixed(1)}H${to.toFixed(1)}V${bottom.toFixed(1)}H${from.toFixed(1)}Z`;
    }
  }
  const drawn = paths.map((d, shade) => tag("path", { d, fill: "var(--data)", "fill-opacity": opacity(shade), "shape-rendering": "crispEdges" }));
  return join([...drawn.filter((_, shade) => paths[shade] !== ""), percentile(level, level.series.p95_ms, place, y, "var(--text)", 1.5)]);
}

/** Returns the cells of a column: the shade, and the lowest and the highest row. Neighbours of one shade are one cell. */
function cells(columns: Level["heat"]["columns"]): [shade: number, low: number, high: number][] {
  const counts = new Map<number, number>();
  let total = 0;
  for (const [without, rows] of columns) {
    total += without;
    for (const [row, count] of rows) {
      counts.set(row, (counts.get(row) ?? 0) + count);
      total += count;
    }
  }
  const found: [number, number, number][] = [];
  for (const [row, count] of [...counts].sort(([a], [b]) => a - b)) {
    const shade = shadeOf(count / total);
    const below = found.at(-1);
    if (below?.[0] === shade && below[2] === row - 1) below[2] = row;
    else found.push([shade, row, row]);
  }
  return found;
}

/** Returns the shade of a share of all times, from 1. */
const shadeOf = (share: number): number => Math.max(1, Math.round(SHADES * Math.min(1, Math.sqrt(share / 0.3))));
const opacity = (shade: number): string => heat(0.3 * (shade / SHADES) ** 2).toFixed(3);

/** Draws a ribbon from p50 to p99, and p95 on top. */
function ribbon(level: Level, place: Place, y: Scale): Svg {
  const { start_s, p50_ms, p99_ms, p95_ms, max_ms } = level.series;
  const bands = start_s.flatMap((start, index) => {
    const [from, low, high] = [level.started_s + start, p50_ms[index] ?? null, p99_ms[index] ?? p95_ms[index] ?? max_ms[index] ?? null];
    return low !== null && high !== null ? [[from, from + secondsOf(level.series, index), low, high] as const] : [];
  });
  const cells = envelope(bands, place.right - place.left).map(([from, to, low, high]) => {
    const [left, top] = [place.x(from), y(high)];
    return `M${left.toFixed(1)} ${top.toFixed(1)}H${place.x(to).toFixed(1)}V${y(low).toFixed(1)}H${left.toFixed(1)}Z`;
  });
  const filled = tag("path", { d: cells.join(""), fill: "var(--data)", "fill-opacity": 0.2 });
  return join([filled, percentile(level, p50_ms, place, y, "var(--data)", 1.2), percentile(level, p95_ms, place, y, "var(--text)", 1.8)]);
}

function percentile(level: Level, of: readonly (number | null)[], place: Place, y: Scale, colour: string, width: number): Svg {
  const steps = windows((_, index) => of[index] ?? null)(level);
  return tag("path", { d: stepPath(steps, place.x, y), fill: "none", ...stroke(colour, width), "stroke-linejoin": "round" });
}
