// Reduces long series to one stroke per pixel, without losing peaks.

import type { Scale } from "./scale.ts";

/** A value that holds from one time to another. Null means that it was not measured. */
export type Held = readonly [from: number, to: number, value: number | null];

/** Returns the path of a series of steps. Where a value is missing, the path breaks. */
export function stepPath(series: readonly Held[], x: Scale, y: Scale): string {
  const [first, last] = [series[0], series.at(-1)];
  if (!first || !last) return "";
  const pixels = x(last[1]) - x(first[0]);
  return series.length > 2 * pixels ? perPixel(series, x, y) : plain(series, x, y);
}

function plain(series: readonly Held[], x: Scale, y: Scale): string {
  let path = "";
  let end: number | null = null;
  for (const [from, to, value] of series) {
    if (value === null) {
      end = null;
      continue;
    }
    const joined = end !== null && from - end < 0.51 * (to - from);
    path += `${joined ? "L" : "M"}${x(from).toFixed(1)} ${y(value).toFixed(1)}H${x(to).toFixed(1)}`;
    end = to;
  }
  return path;
}

/** Draws the lowest and the highest value of each pixel. */
function perPixel(series: readonly Held[], x: Scale, y: Scale): string {
  let path = "";
  let [pixel, low, high, open] = [-1, Infinity, -Infinity, false];
  const flush = (): void => {
    if (low > high) {
      open = false;
      return;
    }
    path += `${open ? "L" : "M"}${pixel} ${y(low).toFixed(1)}V${y(high).toFixed(1)}`;
    open = true;
  };
  for (const [from, , value] of series) {
    const at = Math.round(x(from));
    if (at !== pixel) {
      if (pixel >= 0) flush();
      [pixel, low, high] = [at, Infinity, -Infinity];
    }
    if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  flush();
  return path;
}

/** Merges a series of pairs until it has at most `most` entries: the lowest of the low values and the highest of the high ones. */
export function envelope(series: readonly (readonly [number, number, number, number])[], most: number): (readonly [number, number, number, number])[] {
  const size = Math.max(1, Math.ceil(series.length / Math.max(1, most)));
  const merged: (readonly [number, number, number, number])[] = [];
  for (let at = 0; at < series.length; at += size) {
    const part = series.slice(at, at + size);
    const [first, last] = [part[0], part.at(-1)];
    if (first && last) merged.push([first[0], last[1], Math.min(...part.map((each) => each[2])), Math.max(...part.map((each) => each[3]))]);
  }
  return merged;
}
