// Latency over load: for each level a heat map of all times, with p50, p95 and its interval, and p99.

import type { Chart, Drawing, Reading, Size } from "../chart.ts";
import { binStart, statusWord, type Figure, type Level, type PageData } from "../data.ts";
import { count, millis, sentence, tick } from "../format.ts";
import { decades, logarithmic, logRange, type Scale } from "../scale.ts";
import { circle, join, line, nothing, polyline, rect, tag, text, type Svg } from "../svg.ts";
import { axisNumbers } from "./axes.ts";
import { ceiling, loadAxis, loadLabels, zoneOf, type LoadAxis } from "./load_axis.ts";
import { COLOUR, hatch, heat, shades, sign, stroke } from "./shapes.ts";

const HATCH = "latency-hatch";

interface Frame {
  data: PageData;
  axis: LoadAxis;
  left: number;
  right: number;
  top: number;
  bottom: number;
  y: Scale;
  phone: boolean;
}

export function latencyOverLoad(data: PageData): Chart {
  return {
    id: "latency",
    title: "Latency over load",
    about: sentence(data.times),
    wide: false,
    legend: legend(data),
    draw: (size) => draw(data, size),
    read: (level) => read(data, level),
    figures: () => ({
      titles: ["level", "load", "result", data.subject, "p50 ms", "p95 ms", "p95 low ms", "p95 high ms", "p99 ms", "longest", "error ms"],
      rows: data.levels.map((level) => [
        level.label, level.load, statusWord(level), level.count, level.p50.ms, level.p95.ms, level.p95.interval?.[0] ?? null,
        level.p95.interval?.[1] ?? null, level.p99.ms, level.longest, level.error_ms,
      ]),
    }),
  };
}

function frame(data: PageData, size: Size): Frame {
  const phone = size.width < 520;
  const bands = bandsOf(data);
  const [left, right] = [bands.length > 0 && !phone ? 84 : 52, size.width - (phone ? 10 : 94)];
  const values = data.levels.flatMap((level) => [
    ...level.bins.flatMap(([bin]) => [binStart(bin), binStart(bin + 1)]),
    ...[level.p50, level.p95, level.p99].flatMap((figure) => figure.ms ?? []),
  ]);
  const [low, high] = logRange([...values, ...(values.length > 0 ? data.limits.map((limit) => limit.ms) : [])]);
  const [top, bottom] = [20 + BAND * bands.length, size.height - 62];
  return { data, axis: loadAxis(data, left, right), left, right, top, bottom, y: logarithmic(low, high, bottom, top), phone };
}

function draw(data: PageData, size: Size): Drawing {
  const on = frame(data, size);
  const range = logRange(data.levels.flatMap((level) => level.bins.map(([bin]) => binStart(bin))));
  const split = ceiling(data, on.axis);
  const { axis, left, right, top, bottom } = on;
  const zones = axis.order.map((level) => {
    const [from, to] = zoneOf(axis, level, left, right);
    return { level, x: from, y: top, width: to - from, height: bottom - top + 38 };
  });
  const some = data.levels.some((level) => level.bins.length > 0);
  const content = join([
    hatch(HATCH),
    axisNumbers(decadesOf(on, range), on.y, left, right, tick),
    split ? whereItStops(on, split) : nothing,
    join(axis.order.map((level) => column(on, level))),
    bandsAbove(on),
    some ? limits(on) : text("No operation got a response, so there are no times.", (left + right) / 2, (top + bottom) / 2, { "text-anchor": "middle", class: "strong" }),
    percentiles(on),
    loadLabels(data, axis, left, right, bottom, split ?? []),
  ]);
  return { height: size.height, label: labelOf(data), content, zones };
}

function decadesOf(on: Frame, [low, high]: [number, number]): number[] {
  const limits = on.data.limits.map((limit) => limit.ms);
  const all = decades(Math.min(low, ...limits) / 10, Math.max(high, ...limits) * 10);
  return all.filter((value) => on.y(value) <= on.bottom + 0.5 && on.y(value) >= on.top - 0.5);
}

/** Draws the line between the last load that held and the first that did not. */
function whereItStops(on: Frame, [below, above]: [number, number]): Svg {
  const { data, axis, top, bottom, right } = on;
  const [last, first] = [data.levels[below], data.levels[above]];
  if (!last || !first) return nothing;
  const x = (axis.at(below) + axis.at(above)) / 2;
  const failed = first.status === "failed";
  const colour = COLOUR[first.status];
  const room = right - x > 70;
  return join([
    rect(x, top, right - x, bottom - top, failed ? { fill: "var(--bad-wash)" } : { fill: `url(#${HATCH})`, "fill-opacity": 0.35 }),
    line(x, top - 6, x, bottom, stroke(colour, 1.5)),
    text(on.phone ? "held" : `held up to ${last.label}`, x - 8, top + 6, { class: "strong halo", "text-anchor": "end" }),
    room ? text(statusWord(first), x + 8, top + 6, { class: `${failed ? "badtext" : "doubttext"} halo` }) : nothing,
  ]);
}

function column(on: Frame, index: number): Svg {
  const level = on.data.levels[index];
  if (!level) return nothing;
  const [x, width] = [Math.round(on.axis.at(index) - on.axis.column / 2), Math.max(2, Math.round(on.axis.column))];
  const cells = level.bins.map(([bin, number]) => {
    const [top, bottom] = [Math.round(on.y(binStart(bin + 1))), Math.round(on.y(binStart(bin)))];
    const opacity = heat(number / (level.count + level.without_end)) * (level.invalid ? 0.55 : 1);
    return rect(x, top, width, Math.max(1, bottom - top), { fill: "var(--data)", "fill-opacity": opacity.toFixed(3), "shape-rendering": "crispEdges" });
  });
  return tag("g", { "aria-hidden": "true" }, ...cells);
}

/** Height of a band above the axis. */
const BAND = 22;

interface Band {
  name: string;
  value(level: Level): string;
}

/** Returns the bands above the axis of latency: operations that failed or were lost, and those that have no known time. */
function bandsOf(data: PageData): Band[] {
  const bands: Band[] = [
    { name: data.subject === "deliveries" ? "lost" : "failed", value: (level) => level.failing ?? "" },
    { name: "no response", value: (level) => (level.without_end > 0 ? count(level.without_end) : "") },
  ];
  return bands.filter(({ value }) => data.levels.some((level) => value(level) !== ""));
}

function bandsAbove(on: Frame): Svg {
  const bands = bandsOf(on.data);
  const each = bands.map(({ name, value }, index) => {
    const y = on.top - 16 - BAND * (bands.length - index);
    const numbers = on.axis.order.map((index) => {
      const level = on.data.levels[index];
      const words = level ? value(level) : "";
      return words !== "" && on.axis.column > 22 ? text(words, on.axis.at(index), y + 13, { class: "small strong badtext", "text-anchor": "middle" }) : nothing;
    });
    const title = on.phone ? nothing : text(name, on.left - 8, y + 13, { class: "small", "text-anchor": "end" });
    return join([rect(on.left, y, on.right - on.left, 18, { fill: "var(--sunken)" }), title, ...numbers]);
  });
  return join(each);
}

function limits(on: Frame): Svg {
  return join(on.data.limits.map((limit) => {
    const y = on.y(limit.ms);
    const words = on.phone ? `limit: p${limit.percentile} ${millis(limit.ms)}` : `threshold: ${limit.text}`;
    const room = y - on.top > 28; // above the line, the name would cover that of the ceiling
    return join([line(on.left, y, on.right, y, { class: "limit" }), text(words, on.left + 6, room ? y - 6 : y + 16, { class: "strong halo" })]);
  }));
}

function percentiles(on: Frame): Svg {
  const { data, axis, y } = on;
  const valid = axis.order.filter((index) => !data.levels[index]?.invalid);
  const pieces: Svg[] = runs(valid, (index) => data.levels[index]?.p95.ms ?? null).map((run) => {
    const points = run.map(([index, ms]) => [axis.at(index), y(ms)] as const);
    return join([polyline(points, stroke("var(--surface)", 5)), polyline(points, stroke("var(--text)", 2))]);
  });
  for (const index of axis.order) {
    const level = data.levels[index];
    if (level) pieces.push(dots(on, level, axis.at(index)));
  }
  if (!on.phone) pieces.push(endLabels(on));
  return join(pieces);
}

/** Divides levels into stretches in which each has a figure. A line breaks where there is none. */
function runs(order: readonly number[], figure: (level: number) => number | null): [number, number][][] {
  const found: [number, number][][] = [[]];
  for (const level of order) {
    const value = figure(level);
    if (value === null) found.push([]);
    else found.at(-1)?.push([level, value]);
  }
  return found.filter((run) => run.length > 1);
}

function dots(on: Frame, level: Level, x: number): Svg {
  const half = Math.max(5, on.axis.column * 0.34);
  const across = (figure: Figure, dash: string | null): Svg => {
    if (figure.ms === null) return nothing;
    const y = on.y(figure.ms);
    return join([line(x - half, y, x + half, y, stroke("var(--surface)", 4.5)), line(x - half, y, x + half, y, stroke("var(--text)", 1.6, dash))]);
  };
  const colour = level.status === "failed" ? COLOUR.failed : "var(--text)";
  const { ms, interval } = level.p95;
  const whisker = interval && ms !== null
    ? tag("path", { d: `M${x} ${on.y(interval[0]).toFixed(1)}V${on.y(interval[1]).toFixed(1)}M${x - 5} ${on.y(interval[0]).toFixed(1)}h10M${x - 5} ${on.y(interval[1]).toFixed(1)}h10`, fill: "none", ...stroke(colour, 1.4) })
    : nothing;
  const hollow = level.invalid;
  const dot = ms === null ? nothing : circle(x, on.y(ms), 5, { fill: hollow ? "var(--surface)" : colour, stroke: hollow ? "var(--text)" : "var(--surface)", "stroke-width": 1.7 });
  return join([across(level.p50, null), across(level.p99, "3 2.4"), whisker, dot]);
}

/** Names the percentiles at the right end, without overlaps. */
function endLabels(on: Frame): Svg {
  const last = on.axis.order.at(-1);
  const level = last === undefined ? undefined : on.data.levels[last];
  if (last === undefined || !level) return nothing;
  const x = on.axis.at(last) + on.axis.column / 2 + 7;
  let lowest = -Infinity;
  const named = [["p99", level.p99], ["p95", level.p95], ["p50", level.p50]] as const;
  return join(named.flatMap(([name, figure]) => {
    if (figure.ms === null) return [];
    const y = Math.max(on.y(figure.ms) + 4, lowest + 14);
    lowest = y;
    return [text(`${name} ${millis(figure.ms)}`, x, y, { class: "strong halo" })];
  }));
}

function labelOf(data: PageData): string {
  const each = data.levels.map((level) => `${level.label}: p95 ${level.p95.text}, ${statusWord(level)}`);
  return `Latency over load. ${each.slice(0, 20).join("; ")}.`;
}

function read(data: PageData, index: number): Reading[] {
  const level = data.levels[index];
  if (!level) return [];
  const tone = level.status === "failed" ? { tone: "bad" as const } : level.status === "held" || level.status === "measured" ? {} : { tone: "doubtful" as const };
  const readings: Reading[] = [
    { name: "", value: `${level.label}: ${statusWord(level)}`, ...tone },
    { name: data.subject, value: count(level.count) },
    { name: "p50", value: level.p50.text },
    { name: "p95", value: level.p95.text },
    { name: "p99", value: level.p99.text },
    { name: "longest", value: level.longest ?? "n/a" },
  ];
  if (level.error_ms !== null) readings.push({ name: "too long by at most", value: millis(level.error_ms) });
  if (level.why !== null) readings.push({ name: "", value: level.why });
  return readings;
}

function legend(data: PageData): Chart["legend"] {
  const whisker = tag("path", { d: "M13 2v10M9 2h8M9 12h8", fill: "none", ...stroke("var(--text)", 1.3) });
  const hasInterval = data.levels.some((level) => level.p95.interval);
  const p95 = sign(26, line(0, 7, 26, 7, stroke("var(--text)", 2)), hasInterval ? whisker : nothing, circle(13, 7, 4, { fill: "var(--text)" }));
  const all = [
    shades(data.subject),
    { sign: p95, text: hasInterval ? "p95 with 95 % interval" : "p95" },
    { sign: sign(18, line(0, 7, 18, 7, stroke("var(--text)", 1.7))), text: "p50" },
    { sign: sign(18, line(0, 7, 18, 7, stroke("var(--text)", 1.7, "3 2.4"))), text: "p99" },
  ];
  const hollow = { sign: sign(14, circle(7, 7, 4.4, { fill: "var(--surface)", ...stroke("var(--text)", 1.7) })), text: "generator was the limit" };
  return data.levels.some((level) => level.invalid) ? [...all, hollow] : all;
}
