// The parts of a chart: what a drawing consists of, and what the page needs to present it.

import type { Svg } from "./svg.ts";

/** The room for a drawing in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** A place that stands for a level. The page highlights it when the level is chosen. */
export interface Zone {
  level: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The time axis of a drawing: seconds since the start of the run, and their pixels. */
export interface TimeSpan {
  from: number;
  to: number;
  left: number;
  right: number;
}

export interface Drawing {
  height: number;
  /** One sentence that says what the picture shows. */
  label: string;
  content: Svg;
  zones: Zone[];
  time?: TimeSpan;
}

/** What the reader has chosen. */
export interface View {
  level: number | null;
  /** The visible part of the time axis. Null shows the whole run. */
  range: [number, number] | null;
}

/** A part of the line below a chart. */
export interface Reading {
  name: string;
  value: string;
  tone?: "bad" | "doubtful";
}

export type Cell = string | number | null;

/** The figures of a chart, for its table and for CSV. */
export interface Figures {
  titles: string[];
  rows: Cell[][];
}

export interface Chart {
  id: string;
  title: string;
  about: string;
  wide: boolean;
  /** What to do, while no level is chosen. */
  hint?: string;
  legend: { sign: Svg; text: string }[];
  draw(size: Size, view: View): Drawing;
  /** The figures of a level, or of a second of the run. */
  read(level: number, second: number | null): Reading[];
  figures(): Figures;
  /** The part of the time axis that a level fills, if the chart has a time axis. */
  span?(level: number): [number, number];
}
