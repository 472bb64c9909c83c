// What the server sends: what has changed since the page asked last, as the Rust crate `report` writes it (`live/update.rs`).

import type { PageData, Series } from "../data.ts";

export type Stage = "starting" | "setting_up" | "level" | "after_level" | "ended";

/** The latest figures of the running level. */
export interface Live {
  level: number;
  levels: number;
  users: number;
  rate: string | null;
  phase: string;
  /** Seconds since the start of the level, and from there to the planned end of the measured time. */
  elapsed_s: number;
  total_s: number | null;
  /** Lost deliveries so far in the level. Null if there were no messages, or if they are counted after the level. */
  lost: number | null;
  /** Failures so far in the level. Null means none. */
  failed: number | null;
  busy_percent: number | null;
  /** Operations in flight after the measured time, and the seconds that they may still take. */
  in_flight: [count: number, up_to_s: number] | null;
}

export interface State {
  stage: Stage;
  /** Whether somebody has asked to end the run early. */
  stopping: boolean;
  live: Live | null;
  /** The latest second of this level. */
  latest: { operations: number; deliveries: number; p95_ms: number | null; target_cpu_percent: number | null } | null;
}

/** The plan of a level. */
export interface Start {
  label: string;
  load: number;
  open: boolean;
  started_s: number;
  measured: [number, number];
}

export interface LevelUpdate {
  index: number;
  start: Start;
  /** The points from this index on are replaced. */
  from: number;
  series: Series;
}

export interface End {
  /** The verdict in HTML. */
  verdict: string;
  error: string | null;
  /** The path of the report, if it is saved. */
  report: string | null;
  /** Whether no more updates will follow. */
  last: boolean;
}

export interface Update {
  change: number;
  state: State;
  levels: LevelUpdate[];
  /** All levels that are over: the data of their charts, and their tables in HTML. */
  finished: { data: PageData; tables: string } | null;
  warnings: string[] | null;
  end: End | null;
}
