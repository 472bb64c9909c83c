// The run so far, put together from the updates.

import { endOfSeries, type Figure, type Level, type PageData, type Series } from "../data.ts";
import type { Update, Start, State } from "./update.ts";

const NOTHING: Figure = { ms: null, interval: null, text: "n/a" };

const noSeries = (): Series => ({ start_s: [], seconds: [], users: [], operations: [], failed: [], messages: [], deliveries: [], p50_ms: [], p95_ms: [], p99_ms: [], max_ms: [], busy_percent: [], target_cpu_percent: [] });

/** Returns a level that is not over, and has a time series only. */
function running(start: Start): Level {
  return {
    label: start.label, load: start.load, status: "running", why: null, invalid: false, started_s: start.started_s, measured: [0, 0], ends_s: 0,
    count: 0, without_end: 0, bins: [], p50: NOTHING, p95: NOTHING, p99: NOTHING, longest: null, distribution: [], error_ms: null,
    throughput: { planned: 0, succeeded: 0, failed: 0, unfinished: 0, dropped: 0, planned_per_s: null, succeeded_per_s: null, interval: null, operations_per_s: null },
    channels: [], steps: [], series: noSeries(), heat: { width_s: 1, columns: [] },
    samples: { at_s: [], cpu_percent: [], thread_percent: [], memory_mb: [], connections: [], listen_queue: [], ends_s: [] },
    generator: { busiest_percent: null, start_lag_ms: null, read_delay_ms: null, target: null },
  };
}

/** Replaces the points from an index on. */
function splice(series: Series, from: number, more: Series): void {
  const [columns, added] = [series, more] as unknown as Record<string, unknown[]>[];
  for (const [name, column] of Object.entries(columns ?? {})) {
    column.length = Math.min(column.length, from);
    for (const value of added?.[name] ?? []) column.push(value);
  }
}

export class LiveRun {
  readonly data: PageData = { subject: "operations", times: "latency", open: false, limits: [], levels: [], live: true };
  state: State = { stage: "starting", stopping: false, live: null, latest: null };
  /** Number of levels that are over. */
  finished = 0;
  #starts: Start[] = [];

  /** Takes an update. Returns whether a level has ended. */
  apply(update: Update): boolean {
    this.state = update.state;
    for (const { index, start, from, series } of update.levels) {
      this.#starts[index] = start;
      const level = (this.data.levels[index] ??= running(start));
      this.data.open ||= start.open;
      splice(level.series, from, series);
      if (level.status === "running") this.#extend(level, start);
    }
    if (update.finished) this.#finish(update.finished.data);
    return update.finished !== null;
  }

  /** The longest time that one point spans, in seconds. */
  get secondsPerPoint(): number {
    const all = this.data.levels.flatMap(({ series }) => series.seconds ?? []);
    return all.reduce((most, each) => Math.max(most, each), 1);
  }

  /** Ends a running level at its last second. */
  #extend(level: Level, { measured }: Start): void {
    level.ends_s = endOfSeries(level.series);
    level.measured = [Math.min(measured[0], level.ends_s), Math.min(measured[1], level.ends_s)];
  }

  #finish({ subject, times, open, limits, levels }: PageData): void {
    Object.assign(this.data, { subject, times, open, limits });
    levels.forEach((level, index) => {
      const series = this.data.levels[index]?.series ?? noSeries();
      this.data.levels[index] = { ...level, series };
    });
    this.finished = levels.length;
  }
}
