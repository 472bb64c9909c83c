// One time axis for load, latency, failures and resources. The measured part of each level is shaded.

import type { Chart, Drawing, Reading, Size, View } from "../chart.ts";
import { endOfSeries, secondsOf, statusWord, type Level, type PageData } from "../data.ts";
import { clock, count, millis, significant } from "../format.ts";
import { linear, times, type Scale } from "../scale.ts";
import { join, line, nothing, rect, tag, text, widthOf, type Svg } from "../svg.ts";
import { hasHeat } from "./latency_over_time.ts";
import type { Panel } from "./panel.ts";
import { panels } from "./panels.ts";
import { hatch, lineSign, mark, shades, sign, stroke } from "./shapes.ts";

const HATCH = "time-hatch";
const CLIP = "time-clip";

export const hasTime = (data: PageData): boolean => data.levels.some((level) => level.series.start_s.length > 0);

const ofTheTarget = [
  { sign: lineSign("var(--data)", 2), text: "target" },
  { sign: lineSign("var(--data)", 1.5, "2 3"), text: "its busiest thread" },
  { sign: lineSign("var(--text)", 1.7), text: "generator’s busiest worker, mean of the level" },
];

export function timeline(data: PageData): Chart {
  const all = panels(data);
  const ribbon = sign(22, rect(0, 2, 22, 10, { fill: "var(--data)", "fill-opacity": 0.22 }), tag("path", { d: "M0 6h22", ...stroke("var(--text)", 2) }));
  return {
    id: "time",
    title: "Second by second",
    about: "Shaded: measured. Ramp-up, warm-up and draining are in no figure. Drag to zoom, double-click for the whole run; or Enter and Escape.",
    wide: true,
    legend: [
      ...(hasHeat(data) ? [shades(`${data.subject} of each moment`), { sign: lineSign("var(--text)", 1.5), text: "p95" }] : [{ sign: ribbon, text: "p95, within p50 to p99" }]),
      ...(data.live === true ? [] : ofTheTarget),
    ],
    draw: (size, view) => draw(data, all, size, view),
    read: (index, second) => read(data, index, second),
    span: (index) => {
      const level = data.levels[index];
      return level ? [level.started_s, level.started_s + Math.max(level.ends_s, 1)] : [0, endOf(data)];
    },
    figures: () => ({
      titles: ["level", "run s", ...(data.live === true ? ["seconds"] : []), "users", "operations", "failed", "messages", "deliveries", "p50 ms", "p95 ms", "p99 ms", "max ms"],
      rows: data.levels.flatMap(({ label, started_s, series: it }) =>
        it.start_s.map((start, i) => [
          label, Math.round((started_s + start) * 10) / 10, ...(data.live === true ? [secondsOf(it, i)] : []), it.users[i] ?? null, it.operations[i] ?? null, it.failed[i] ?? null, it.messages[i] ?? null,
          it.deliveries[i] ?? null, it.p50_ms[i] ?? null, it.p95_ms[i] ?? null, it.p99_ms[i] ?? null, it.max_ms[i] ?? null,
        ])),
    }),
  };
}

/** Returns the end of the last level, in seconds since the start of the run. */
const endOf = (data: PageData): number => Math.max(1, ...data.levels.map((level) => level.started_s + Math.max(level.ends_s, endOfSeries(level.series))));

function draw(data: PageData, all: readonly Panel[], size: Size, view: View): Drawing {
  const [left, right] = [52, size.width - 12];
  const [from, to] = view.range ?? [0, endOf(data)];
  const x = linear(from, to, left, right);
  const top = 26;
  const pieces: Svg[] = [];
  let y = top;
  for (const panel of all) {
    const place = { top: y + 18, bottom: y + 18 + panel.height, left, right, x };
    pieces.push(panel.draw(place), line(left, place.bottom, right, place.bottom, { class: "axis", "stroke-opacity": 0.5 }), text(panel.title, left, y + 12, { class: "strong small" }));
    y = place.bottom + 8;
  }
  const span = to - from;
  const labels = times(from, to, Math.floor((right - left) / 70)).map((second) => text(clock(second, endOf(data)), x(second), y + 14, { class: "small", "text-anchor": "middle" }));
  const clip = tag("defs", {}, tag("clipPath", { id: CLIP }, rect(left - 48, -10, right - left + 52, y + 40, {})));
  const inside = tag("g", view.range ? { "clip-path": `url(#${CLIP})` } : {}, ...data.levels.map((level) => measured(level, x, top, y)), ...pieces, ...data.levels.map((level) => legs(level, x, top, y)), ...data.levels.map((level) => ends(level, x, top, y)));
  const names = data.levels.map((level) => name(level, x, left, right));
  const label = `Second by second over ${Math.round(span)} seconds: ${all.map((panel) => panel.title.toLowerCase()).join(", ")}.`;
  const zones = data.levels.map((level, index) => {
    const [start, end] = [Math.max(left, x(level.started_s)), Math.min(right, x(level.started_s + level.ends_s))];
    return { level: index, x: start, y: top - 22, width: Math.max(0, end - start), height: y - top + 22 };
  });
  return { height: y + 22, label, content: join([clip, hatch(HATCH), inside, ...names, ...labels]), zones, time: { from, to, left, right } };
}

/** Shades the measured part of a level. */
function measured(level: Level, x: Scale, top: number, bottom: number): Svg {
  const [from, to] = [x(level.started_s + level.measured[0]), x(level.started_s + level.measured[1])];
  const fill = level.invalid ? { fill: `url(#${HATCH})`, "fill-opacity": 0.3 } : { fill: "var(--sunken)" };
  return rect(from, top, to - from, bottom - top, fill);
}

/** Writes the name and the result above a level, if there is room. */
function name(level: Level, x: Scale, left: number, right: number): Svg {
  const from = Math.max(left, x(level.started_s + level.measured[0]));
  const to = Math.min(right, x(level.started_s + level.measured[1]));
  if (to - from < 13) return nothing;
  const room = to - from > widthOf(level.label) + 22;
  const middle = (from + to) / 2;
  if (!room) return mark(level, middle, 12, 5);
  const start = middle - (widthOf(level.label) + 14) / 2;
  return join([mark(level, start + 5, 12, 5), text(level.label, start + 14, 16, { class: "small strong" })]);
}

/** Marks where the segments of a rate profile begin, with their rates where there is room. */
function legs(level: Level, x: Scale, top: number, bottom: number): Svg {
  const all = level.legs ?? [];
  const ends = level.measured[1];
  return join(all.map(({ start_s, name }, index) => {
    const [at, next] = [x(level.started_s + start_s), x(level.started_s + (all[index + 1]?.start_s ?? ends))];
    const room = next - at > widthOf(name) + 8;
    return join([line(at, top, at, bottom, stroke("var(--axis)", 1, "2 3")), room ? text(name, at + 4, bottom - 14, { class: "small halo" }) : nothing]);
  }));
}

/** Marks the times at which the target's process ended. */
function ends(level: Level, x: Scale, top: number, bottom: number): Svg {
  return join(level.samples.ends_s.map((second) => {
    const at = x(level.started_s + second);
    return join([line(at, top, at, bottom, stroke("var(--bad)", 1.5)), text("target ended", at + 4, top + 10, { class: "badtext small halo" })]);
  }));
}

function read(data: PageData, index: number, second: number | null): Reading[] {
  const level = data.levels[index];
  if (!level) return [];
  const at = second === null ? -1 : level.series.start_s.findIndex((start, index) => second >= level.started_s + start && second < level.started_s + start + secondsOf(level.series, index));
  const it = level.series;
  if (second === null || at < 0) {
    if (level.status === "running") return [{ name: "", value: `${level.label}: running` }];
    const busy = level.generator.busiest_percent;
    return [
      { name: "", value: `${level.label}: ${statusWord(level)}` },
      { name: "target", value: level.generator.target ?? "not measured" },
      { name: "generator's busiest worker", value: busy === null ? "not measured" : `${significant(busy)} %`, ...(level.invalid ? { tone: "doubtful" as const } : {}) },
      { name: "start lag p99", value: millis(level.generator.start_lag_ms) },
      { name: "read delay p99", value: millis(level.generator.read_delay_ms) },
    ];
  }
  const rest: Reading[] = [
    { name: "p50", value: millis(it.p50_ms[at] ?? null) },
    { name: "p95", value: millis(it.p95_ms[at] ?? null) },
    { name: "p99", value: millis(it.p99_ms[at] ?? null) },
    { name: "max", value: millis(it.max_ms[at] ?? null) },
  ];
  const [width, from] = [secondsOf(it, at), clock(Math.floor(second), endOf(data))];
  const failed: Reading[] = (it.failed[at] ?? 0) > 0 ? [{ name: "failed", value: count(it.failed[at] ?? 0), tone: "bad" }] : [];
  const made = (it.deliveries[at] ?? 0) > 0 ? { name: "deliveries", value: count(it.deliveries[at] ?? 0) } : { name: "operations", value: count(it.operations[at] ?? 0) };
  const when = width > 1 ? `${width} s around ${from}` : from;
  return [{ name: "", value: `${when}, ${level.label}` }, { name: "users", value: count(it.users[at] ?? 0) }, made, ...failed, ...rest];
}
