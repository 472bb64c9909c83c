// The distribution of latency: percentiles on an axis that gives each further nine the same room.

import type { Chart, Drawing, Reading, Size, View } from "../chart.ts";
import type { Level, PageData } from "../data.ts";
import { millis, sentence, tick } from "../format.ts";
import { decades, logarithmic, logRange, type Scale } from "../scale.ts";
import { circle, join, line, nothing, polyline, tag, text, type Svg } from "../svg.ts";
import { axisBelow, axisNumbers, gridAcross } from "./axes.ts";
import { lineSign, sign, stroke } from "./shapes.ts";

/** Places with a name on the axis: 1 / (1 − q). */
const PLACES = [2, 10, 100, 1000, 10_000, 100_000, 1_000_000];

export const hasDistribution = (data: PageData): boolean => data.levels.some((level) => level.distribution.length > 0);

export function distribution(data: PageData): Chart {
  return {
    id: "distribution",
    title: "Distribution of latency",
    about: `${sentence(data.times)}. A line ends at the last percentile with ten samples beyond it.`,
    wide: false,
    legend: [
      { sign: lineSign("var(--data)", 2.4), text: "chosen level, with 95 % interval" },
      { sign: lineSign("var(--axis)", 1.2), text: "other levels" },
      { sign: sign(14, circle(7, 7, 4, { fill: "var(--surface)", ...stroke("var(--data)", 1.8) })), text: "more samples needed beyond" },
    ],
    draw: (size, view) => draw(data, size, view),
    read: (index) => read(data, index),
    figures: () => ({
      titles: ["level", "percentile", "ms", "low ms", "high ms"],
      rows: data.levels.flatMap((level) => level.distribution.map(([place, ms, interval]) => [level.label, percentOf(place), ms, interval?.[0] ?? null, interval?.[1] ?? null])),
    }),
  };
}

/** Converts 1 / (1 − q) to a percentile: 99.9 for 1000. */
const percentOf = (place: number): number => Number((100 * (1 - 1 / place)).toPrecision(7));

/** Returns the chosen level, or the last one with a distribution. */
function shownLevel(data: PageData, chosen: number | null): number {
  if (chosen !== null && (data.levels[chosen]?.distribution.length ?? 0) > 0) return chosen;
  return data.levels.findLastIndex((level) => level.distribution.length > 0);
}

function draw(data: PageData, size: Size, view: View): Drawing {
  const [left, right, top, bottom] = [52, size.width - 18, 14, size.height - 48];
  const points = data.levels.flatMap((level) => level.distribution);
  const furthest = Math.max(10, ...points.map(([place]) => place));
  const [low, high] = logRange(points.flatMap(([, ms, interval]) => [ms, ...(interval ?? [])]));
  const [x, y] = [logarithmic(1.6, furthest, left, right), logarithmic(low, high, bottom, top)];
  const places = PLACES.filter((place) => place <= furthest);
  const shown = shownLevel(data, view.level);
  const others = data.levels.map((level, index) => (index === shown ? nothing : curve(level, x, y, false)));
  const chosen = data.levels[shown];
  const limits = data.limits.filter((limit) => limit.ms >= low && limit.ms <= high);
  const content = join([
    axisNumbers(decades(low, high), y, left, right, tick),
    gridAcross(places, x, top, bottom),
    ...others,
    chosen ? curve(chosen, x, y, true) : nothing,
    ...limits.map((limit) => limitMark(limit.percentile, limit.ms, x, y)),
    axisBelow(places, x, left, right, bottom, (place) => `${percentOf(place)} %`, "Percentile"),
    chosen ? text(chosen.label, left + 8, top + 12, { class: "strong halo" }) : nothing,
  ]);
  const label = chosen ? `Distribution of latency at ${chosen.label}: p50 ${chosen.p50.text}, p95 ${chosen.p95.text}, p99 ${chosen.p99.text}.` : "Distribution of latency.";
  return { height: size.height, label, content, zones: [] };
}

function curve(level: Level, x: Scale, y: Scale, chosen: boolean): Svg {
  const points = level.distribution.map(([place, ms]) => [x(place), y(ms)] as const);
  const last = points.at(-1);
  if (!last) return nothing;
  if (!chosen) return polyline(points, { ...stroke("var(--axis)", 1.2), "stroke-opacity": 0.7 });
  const banded = level.distribution.flatMap(([place, , interval]) => (interval ? [[x(place), y(interval[0]), y(interval[1])] as const] : []));
  const band = [...banded.map(([at, , high]) => `${at.toFixed(1)} ${high.toFixed(1)}`), ...banded.toReversed().map(([at, low]) => `${at.toFixed(1)} ${low.toFixed(1)}`)];
  const area = banded.length > 1 ? tag("path", { d: `M${band.join("L")}Z`, fill: "var(--data)", "fill-opacity": 0.2 }) : nothing;
  return join([area, polyline(points, stroke("var(--data)", 2.4)), circle(last[0], last[1], 4.4, { fill: "var(--surface)", ...stroke("var(--data)", 1.8) })]);
}

/** Draws the limit of a percentile as a short line at its place. */
function limitMark(percentile: number, ms: number, x: Scale, y: Scale): Svg {
  const at = x(1 / (1 - percentile / 100));
  return join([line(at - 26, y(ms), at + 26, y(ms), { class: "limit" }), text(`p${percentile} ${millis(ms)}`, at, y(ms) - 6, { class: "small halo", "text-anchor": "middle" })]);
}

function read(data: PageData, index: number): Reading[] {
  const level = data.levels[shownLevel(data, index)];
  if (!level) return [];
  const at = (place: number): Reading[] => {
    const point = level.distribution.find(([each]) => each >= place * 0.999);
    return point ? [{ name: `${percentOf(place)} %`, value: millis(point[1]) }] : [];
  };
  return [{ name: "", value: level.label }, ...[2, 10, 100, 1000, 10_000].flatMap(at)];
}
