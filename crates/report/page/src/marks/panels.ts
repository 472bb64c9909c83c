// The panels of the time axis. Each has one unit, and all share the same seconds.

import { secondsOf, type Level, type PageData } from "../data.ts";
import { stepPath } from "../decimate.ts";
import { short } from "../format.ts";
import { linear, ticks, type Scale } from "../scale.ts";
import { join, nothing, polyline, tag, text, type Svg } from "../svg.ts";
import { axisNumbers } from "./axes.ts";
import { latencyOverTime } from "./latency_over_time.ts";
import { windows, type Of, type Panel, type Place } from "./panel.ts";
import { stroke } from "./shapes.ts";

/** Returns the counts of windows per second. */
const perSecond = (of: (level: Level) => readonly number[]): Of =>
  windows((level, index) => {
    const count = of(level)[index];
    return count === undefined ? null : count / secondsOf(level.series, index);
  });

/** Returns samples of the target, each of which describes the time since the previous one. */
const samples = (of: (level: Level) => readonly (number | null)[]): Of => (level) =>
  level.samples.at_s.map((at, index) => {
    const before = level.samples.at_s[index - 1] ?? Math.max(at - 1, 0);
    return [level.started_s + before, level.started_s + at, of(level)[index] ?? null] as const;
  });

const highest = (data: PageData, of: readonly Of[]): number => {
  let high = 0;
  for (const level of data.levels) for (const each of of) for (const [, , value] of each(level)) high = Math.max(high, value ?? 0);
  return high;
};

interface Stroke {
  of: Of;
  colour: string;
  width: number;
  dash: string | null;
}

/** Returns a panel with a linear axis from zero, or null if nothing was measured. */
function lines(data: PageData, title: string, height: number, strokes: readonly Stroke[], least: number, extra: (place: Place, y: Scale) => Svg = () => nothing): Panel | null {
  const all = strokes.map((each) => each.of);
  const measured = data.levels.some((level) => all.some((of) => of(level).some(([, , value]) => value !== null)));
  if (!measured) return null;
  const high = Math.max(least, highest(data, all) * 1.1);
  return {
    title,
    height,
    draw: (place) => {
      const y = linear(0, high, place.bottom, place.top);
      const paths = data.levels.flatMap((level) => strokes.map(({ of, colour, width, dash }) => tag("path", { d: stepPath(of(level), place.x, y), fill: "none", ...stroke(colour, width, dash), "stroke-linejoin": "round" })));
      return join([axisNumbers(ticks(high, 2), y, place.left, place.right, short), ...paths, extra(place, y)]);
    },
  };
}

const blue = (of: Of, width = 1.8, dash: string | null = null): Stroke => ({ of, colour: "var(--data)", width, dash });

/** Draws bars down from the top of the panel: failures are not a curve, and few must stay visible among many. */
function failures(data: PageData): Panel | null {
  const of = perSecond((level) => level.series.failed);
  const high = highest(data, [of]);
  if (high === 0) return null;
  return {
    title: "Failed per second",
    height: 34,
    draw: (place) => {
      const y = linear(0, high, place.top, place.bottom);
      // One path, because thousands of elements would be slow.
      const bars = data.levels.flatMap((level) => of(level).flatMap(([from, to, value]) => {
        const [left, width] = [place.x(from), Math.max(1.5, place.x(to) - place.x(from))];
        const depth = Math.max(2, y(value ?? 0) - place.top);
        return (value ?? 0) > 0 ? [`M${left.toFixed(1)} ${place.top}h${width.toFixed(1)}v${depth.toFixed(1)}h${(-width).toFixed(1)}z`] : [];
      }));
      return join([axisNumbers([0, high], y, place.left, place.right, short), tag("path", { d: bars.join(""), fill: "var(--bad)" })]);
    },
  };
}

/** Draws the generator's busiest worker, which is known for each level as a whole. */
function busiest(data: PageData): (place: Place, y: Scale) => Svg {
  return (place, y) =>
    join(data.levels.map((level) => {
      const percent = level.generator.busiest_percent;
      if (percent === null) return nothing;
      const [from, to] = level.measured.map((second) => place.x(level.started_s + second)) as [number, number];
      const colour = level.invalid ? "var(--doubtful)" : "var(--text)";
      const sign = level.invalid ? tag("path", { d: `M${(from + to) / 2} ${y(percent) - 9}l4.5 4.5l-4.5 4.5l-4.5 -4.5z`, fill: colour }) : nothing;
      return join([polyline([[from, y(percent)], [to, y(percent)]], stroke(colour, 1.7)), sign]);
    }));
}

/** Returns the panel of the generator's busiest worker second by second. */
function generator(data: PageData): Panel | null {
  const of = windows((level, index) => level.series.busy_percent?.[index] ?? null);
  return lines(data, "Generator’s busiest worker, percent", 46, [{ of, colour: "var(--text)", width: 1.5, dash: null }], 100);
}

/** Returns the panel of the target's CPU second by second. */
function targetCpu(data: PageData): Panel | null {
  const of = windows((level, index) => level.series.target_cpu_percent?.[index] ?? null);
  return lines(data, "CPU of the target, percent of one core", 46, [blue(of)], 100);
}

/** Returns a panel that says why it is empty. */
const missing = (title: string, reason: string): Panel => ({ title, height: 18, draw: (place) => text(reason, place.left + 4, place.bottom - 3, {}) });

/** Returns the panels that have something to show, and the reasons of those that have not. */
export function panels(data: PageData): Panel[] {
  const sum = (of: (level: Level) => readonly number[]): number => data.levels.reduce((total, level) => total + of(level).reduce((a, b) => a + b, 0), 0);
  const deliveries = sum((level) => level.series.deliveries);
  const operations = sum((level) => level.series.operations);
  const rates = [
    deliveries > 0 ? lines(data, "Deliveries per second", 62, [blue(perSecond((level) => level.series.deliveries))], 1) : null,
    deliveries > 0 ? lines(data, "Messages per second", 40, [blue(perSecond((level) => level.series.messages))], 1) : null,
    operations > 0 ? lines(data, "Requests and round trips per second", 62, [blue(perSecond((level) => level.series.operations))], 1) : null,
  ];
  const load = [
    lines(data, data.open ? "Users present" : "Users", 42, [blue(windows((level, index) => level.series.users[index] ?? null))], 1),
    ...rates,
    latencyOverTime(data) ?? missing("Latency", "too few samples in each second"),
    failures(data),
  ];
  const all = data.live === true ? [...load, targetCpu(data), generator(data)] : [...load, ...target(data)];
  return all.filter((panel) => panel !== null);
}

/** Returns the panels of the target's process. */
function target(data: PageData): (Panel | null)[] {
  const cpu = lines(
    data,
    "CPU, percent of one core",
    78,
    [blue(samples((level) => level.samples.cpu_percent)), blue(samples((level) => level.samples.thread_percent), 1.4, "2 3")],
    Math.max(100, ...data.levels.map((level) => level.generator.busiest_percent ?? 0)),
    busiest(data),
  );
  const none = "not measured: the target's process was not found, and it has no metrics endpoint";
  return [
    cpu ?? missing("Target CPU and memory", none),
    lines(data, "Memory of the target, MB", 46, [blue(samples((level) => level.samples.memory_mb))], 1),
    lines(data, "Connections to the target", 42, [blue(samples((level) => level.samples.connections))], 1),
    queue(data),
  ];
}

/** Returns the panel of the listen queue if it was ever longer than zero. */
function queue(data: PageData): Panel | null {
  const of = samples((level) => level.samples.listen_queue);
  return highest(data, [of]) > 0 ? lines(data, "Listen queue of the target", 36, [blue(of)], 1) : null;
}

