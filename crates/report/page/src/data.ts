// The data of the page, as the Rust crate `report` writes it (`html/data`).

/** A percentile. `ms` is null if there are too few samples, or if it is among operations without a response. */
export interface Figure {
  ms: number | null;
  interval: [number, number] | null;
  /** The figure for readers, with its interval or the reason why there is none. */
  text: string;
}

/** `running` is a level of the live page that is not over. */
export type Status = "held" | "failed" | "inconclusive" | "invalid" | "measured" | "running";

export interface Limit {
  ms: number;
  percentile: number;
  text: string;
}

/** A point of a distribution: 1 / (1 − q), milliseconds, and the interval. */
export type Point = [number, number, [number, number] | null];

export interface Channel {
  name: string;
  messages: number;
  expected: number;
  delivered: number;
  late: number;
  lost: number;
  cut_off: number;
  duplicated: number;
  reordered: number;
  misdelivered: number;
  reasons: string[];
  bound: string | null;
  several: boolean;
  first: Figure;
  median: Figure;
  last: Figure;
}

export interface Step {
  name: string;
  started: number;
  reached: number;
  passed: number;
  failed: number;
  unfinished: number;
  p50: Figure;
  p95: Figure;
}

export type Column = readonly (number | null)[];

/** Windows in columns. Counts are those of the whole window. */
export interface Series {
  start_s: number[];
  /** The length of each window in seconds. Without it, each is one second long. */
  seconds?: number[];
  users: number[];
  operations: number[];
  failed: number[];
  messages: number[];
  deliveries: number[];
  p50_ms: Column;
  p95_ms: Column;
  p99_ms: Column;
  max_ms: Column;
  /** How busy the generator's busiest worker was. Known to the live page only. */
  busy_percent?: Column;
  /** CPU of the target's process. Known to the live page only; the report has it in `samples`. */
  target_cpu_percent?: Column;
}

/** Returns the length of a window in seconds. */
export const secondsOf = (series: Series, index: number): number => series.seconds?.[index] ?? 1;

/** Returns the end of the last window, in seconds since the start of the level. */
export const endOfSeries = (series: Series): number => (series.start_s.at(-1) ?? 0) + secondsOf(series, series.start_s.length - 1);

/** The times of a level over time. */
export interface Heat {
  width_s: number;
  /** For each column, the operations without a known time, and the rows that are not empty with their counts. */
  columns: [without: number, rows: [row: number, count: number][]][];
}

/** Samples of the target's process, in columns. */
export interface Samples {
  at_s: number[];
  cpu_percent: Column;
  thread_percent: Column;
  memory_mb: Column;
  connections: Column;
  listen_queue: Column;
  ends_s: number[];
}

export interface Throughput {
  planned: number;
  succeeded: number;
  failed: number;
  unfinished: number;
  dropped: number;
  planned_per_s: number | null;
  succeeded_per_s: number | null;
  interval: [number, number] | null;
  operations_per_s: number | null;
}

export interface Level {
  label: string;
  load: number;
  status: Status;
  why: string | null;
  invalid: boolean;
  /** Whether something may have affected the figures, although the level counts. */
  questionable?: boolean;
  started_s: number;
  measured: [number, number];
  ends_s: number;
  count: number;
  without_end: number;
  /** Bins of a 16th of a decade: the number of the bin and its count. */
  bins: [number, number][];
  p50: Figure;
  p95: Figure;
  p99: Figure;
  longest: string | null;
  distribution: Point[];
  error_ms: number | null;
  /** The share of failed operations, or the number of lost deliveries. */
  failing?: string | null;
  throughput: Throughput;
  channels: Channel[];
  steps: Step[];
  series: Series;
  heat: Heat;
  samples: Samples;
  /** The segments of a rate profile: the start in the level, and the rate. */
  legs?: { start_s: number; name: string }[];
  generator: {
    busiest_percent: number | null;
    start_lag_ms: number | null;
    read_delay_ms: number | null;
    target: string | null;
  };
}

export interface PageData {
  subject: string;
  times: string;
  /** Whether the load is a rate of arrivals. Otherwise it is a number of users. */
  open: boolean;
  limits: Limit[];
  /** The fit of the Universal Scalability Law, with the throughput at each level. */
  usl?: { per_s: (number | null)[]; parameters: string; meaning: string } | null;
  levels: Level[];
  /** Whether the run is in progress. The target's samples are then not known yet. */
  live?: boolean;
}

/** Bins of a histogram per decade. */
export const BINS_PER_DECADE = 16;

/** Returns the latency at which a bin begins, in milliseconds. */
export const binStart = (bin: number): number => 10 ** (bin / BINS_PER_DECADE);

/** Returns the latency at which a row of a heat map begins, in milliseconds. Four rows divide a power of two. */
export function rowStart(row: number): number {
  const power = Math.max(0, Math.floor(row / 4) - 1);
  return ((row - 4 * power) * 2 ** (power + 3)) / 1e6;
}

/** The result of a level, and whether it is questionable. */
export type Result = Pick<Level, "status" | "questionable">;

/** Returns the words for a result. */
export function statusWord({ status, questionable }: Result): string {
  const word = { held: "held", failed: "failed", inconclusive: "inconclusive", invalid: "invalid", measured: "no threshold", running: "running" }[status];
  return questionable ? `${word}, questionable` : word;
}
