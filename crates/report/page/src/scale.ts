// Scales from figures to pixels, and their ticks.

export type Scale = (value: number) => number;

/** A linear scale from `low`–`high` to `from`–`to`. */
export function linear(low: number, high: number, from: number, to: number): Scale {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** A logarithmic scale. Values at or below zero are drawn at the lowest value. */
export function logarithmic(low: number, high: number, from: number, to: number): Scale {
  const position = linear(Math.log10(low), Math.log10(high), from, to);
  return (value) => position(Math.log10(Math.max(value, low * 1e-3)));
}

/** Returns about `most` round values from zero to `high`. */
export function ticks(high: number, most: number): number[] {
  if (!(high > 0)) return [0];
  const raw = high / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10) * power;
  const count = Math.floor(high / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}

/** Returns the powers of ten from `low` to `high`. */
export function decades(low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => 10 ** (first + index));
}

const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 36000];

/** Returns round times between `from` and `to` in seconds, at most `most`. */
export function times(from: number, to: number, most: number): number[] {
  const step = TIME_STEPS.find((each) => (to - from) / each <= most) ?? 86400;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => Number(((first + index) * step).toPrecision(9)));
}

/** Returns the range of a logarithmic axis: half decades around all values. */
export function logRange(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return [1, 1000];
  const low = positive.reduce((a, b) => Math.min(a, b));
  const high = positive.reduce((a, b) => Math.max(a, b));
  const [from, to] = [Math.floor(Math.log10(low) * 2) / 2, Math.ceil(Math.log10(high) * 2 + 0.05) / 2];
  return to - from < 1 ? [10 ** (from - 0.5), 10 ** (to + 0.5)] : [10 ** from, 10 ** to];
}
