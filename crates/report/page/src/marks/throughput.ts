// Throughput over load: iterations done against iterations planned, or operations per second over users.

import type { Chart, Drawing, Reading, Size } from "../chart.ts";
import type { Level, PageData } from "../data.ts";
import { count, sentence, short, significant } from "../format.ts";
import { linear, ticks, type Scale } from "../scale.ts";
import { circle, join, line, nothing, polyline, text, type Svg } from "../svg.ts";
import { axisNumbers } from "./axes.ts";
import { loadAxis, loadLabels, zoneOf, type LoadAxis } from "./load_axis.ts";
import { COLOUR, lineSign, sign, stroke } from "./shapes.ts";

export function throughput(data: PageData): Chart {
  const planned = data.open;
  return {
    id: "throughput",
    title: "Throughput over load",
    about: planned ? "Iterations that succeeded per second. With random starts, more can arrive than planned." : `${sentence(data.subject)} that succeeded, per second of measured time${data.usl ? `. ${data.usl.meaning}` : ""}`,
    wide: false,
    legend: planned
      ? [
          { sign: sign(22, line(0, 7, 22, 7, stroke("var(--data)", 2.2)), circle(11, 7, 4, { fill: "var(--data)" })), text: "succeeded" },
          { sign: lineSign("var(--muted)", 1.6, "4 3"), text: "planned" },
          { sign: sign(10, line(5, 0, 5, 14, { ...stroke("var(--bad)", 5), "stroke-opacity": 0.35 })), text: "dropped" },
        ]
      : [
          { sign: sign(22, line(0, 7, 22, 7, stroke("var(--data)", 2.2)), circle(11, 7, 4, { fill: "var(--data)" })), text: `${data.subject} that succeeded, per second` },
          ...(data.usl ? [{ sign: lineSign("var(--muted)", 1.6, "4 3"), text: `Universal Scalability Law, fitted: ${data.usl.parameters}` }] : []),
        ],
    draw: (size) => draw(data, size),
    read: (index) => read(data, index),
    figures: () => ({
      titles: ["level", "planned", "succeeded", "failed", "unfinished", "dropped", "planned per s", "succeeded per s", `${data.subject} that succeeded per s`],
      rows: data.levels.map(({ label, throughput: it }) => [
        label, it.planned, it.succeeded, it.failed, it.unfinished, it.dropped, it.planned_per_s, it.succeeded_per_s, it.operations_per_s,
      ]),
    }),
  };
}

const done = (data: PageData, level: Level): number | null => (data.open ? level.throughput.succeeded_per_s : level.throughput.operations_per_s);

function draw(data: PageData, size: Size): Drawing {
  const [left, right, top, bottom] = [50, size.width - 18, 20, size.height - 62];
  const axis = loadAxis(data, left, right);
  const rates = data.levels.flatMap((level) => [done(data, level) ?? 0, data.open ? (level.throughput.planned_per_s ?? 0) : 0]);
  const high = Math.max(...rates, 1) * 1.08;
  const y = linear(0, high, bottom, top);
  const zones = axis.order.map((level) => {
    const [from, to] = zoneOf(axis, level, left, right);
    return { level, x: from, y: top, width: to - from, height: bottom - top + 38 };
  });
  const content = join([
    axisNumbers(ticks(high, 5), y, left, right, short),
    data.open ? plannedLine(data, axis, y) : fittedLine(data, axis, y),
    doneLine(data, axis, y),
    loadLabels(data, axis, left, right, bottom, []),
  ]);
  const each = data.levels.map((level) => `${level.label}: ${significant(done(data, level) ?? 0)} per second`);
  return { height: size.height, label: `Throughput over load. ${each.slice(0, 20).join("; ")}.`, content, zones };
}

function plannedLine(data: PageData, axis: LoadAxis, y: Scale): Svg {
  const points = axis.order.map((index) => [axis.at(index), y(data.levels[index]?.throughput.planned_per_s ?? 0)] as const);
  const dropped = axis.order.map((index) => {
    const level = data.levels[index];
    if (!level || level.throughput.dropped === 0) return nothing;
    const [x, from, to] = [axis.at(index), y(level.throughput.planned_per_s ?? 0), y(level.throughput.succeeded_per_s ?? 0)];
    return line(x, from, x, to, { ...stroke("var(--bad)", 5), "stroke-opacity": 0.35 });
  });
  return join([polyline(points, stroke("var(--muted)", 1.5, "4 3")), ...dropped]);
}

/** Draws the fit of the Universal Scalability Law. */
function fittedLine(data: PageData, axis: LoadAxis, y: Scale): Svg {
  const points = axis.order.flatMap((index) => {
    const rate = data.usl?.per_s[index];
    return rate ? [[axis.at(index), y(rate)] as const] : [];
  });
  return points.length > 1 ? polyline(points, stroke("var(--muted)", 1.6, "4 3")) : nothing;
}

function doneLine(data: PageData, axis: LoadAxis, y: Scale): Svg {
  const known = axis.order.flatMap((index) => {
    const level = data.levels[index];
    const rate = level ? done(data, level) : null;
    return level && rate !== null ? [{ level, x: axis.at(index), y: y(rate), rate }] : [];
  });
  const valid = known.filter(({ level }) => !level.invalid).map(({ x, y: at }) => [x, at] as const);
  const dots = known.map(({ level, x, y: at }) => {
    const colour = level.status === "failed" ? COLOUR.failed : "var(--data)";
    const interval = data.open ? level.throughput.interval : null;
    const whisker = interval ? line(x, y(interval[0]), x, y(interval[1]), stroke(colour, 1.4)) : nothing;
    const fill = level.invalid ? { fill: "var(--surface)", stroke: colour } : { fill: colour, stroke: "var(--surface)" };
    return join([whisker, circle(x, at, 4.6, { ...fill, "stroke-width": 1.5 })]);
  });
  const most = known.reduce((best, each) => (each.rate > best.rate ? each : best), known[0] ?? { x: 0, y: 0, rate: 0 });
  const anchor = most.x > (known.at(-1)?.x ?? 0) - 40 ? "end" : "middle";
  const named = known.length > 0 ? text(`most: ${significant(most.rate)}/s`, anchor === "end" ? most.x + 10 : most.x, most.y - 12, { class: "strong halo", "text-anchor": anchor }) : nothing;
  return join([polyline(valid, stroke("var(--surface)", 5)), polyline(valid, stroke("var(--data)", 2.2)), ...dots, named]);
}

function read(data: PageData, index: number): Reading[] {
  const level = data.levels[index];
  if (!level) return [];
  const it = level.throughput;
  const readings: Reading[] = [{ name: "", value: level.label }, { name: `${data.subject} that succeeded, per second`, value: significant(it.operations_per_s ?? 0) }];
  const unfinished = it.unfinished > 0 ? [{ name: "unfinished", value: count(it.unfinished) }] : [];
  const dropped: Reading[] = it.dropped > 0 ? [{ name: "dropped", value: count(it.dropped), tone: "bad" }] : [];
  const failed: Reading[] = it.failed > 0 ? [{ name: "failed", value: count(it.failed), tone: "bad" }] : [];
  return [...readings, { name: "iterations succeeded", value: `${count(it.succeeded)} of ${count(it.planned)} planned` }, ...failed, ...unfinished, ...dropped];
}
