// A panel of the time axis.

import { secondsOf, type Level } from "../data.ts";
import type { Held } from "../decimate.ts";
import type { Scale } from "../scale.ts";
import type { Svg } from "../svg.ts";

/** The place of a panel. */
export interface Place {
  top: number;
  bottom: number;
  left: number;
  right: number;
  x: Scale;
}

export interface Panel {
  title: string;
  height: number;
  draw(place: Place): Svg;
}

/** Values of a level on the time of the run. */
export type Of = (level: Level) => Held[];

/** Returns windows as steps on the time of the run. */
export const windows = (of: (level: Level, index: number) => number | null): Of => (level) =>
  level.series.start_s.map((start, index) => [level.started_s + start, level.started_s + start + secondsOf(level.series, index), of(level, index)] as const);
