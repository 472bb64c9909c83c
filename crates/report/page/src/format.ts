// Numbers for readers: three significant digits and grouped thousands, as in the other reports.

const number = (value: number, digits: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Formats a whole number: `1,234,567`. */
export const count = (value: number): string => number(Math.round(value), 0);

/** Formats with three significant digits. All digits before the point are kept. */
export function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return number(value, 0);
  if (size >= 9.995) return number(value, 1);
  if (size >= 0.9995 || size === 0) return number(value, size === 0 ? 0 : 2);
  return value.toPrecision(2);
}

/** Formats milliseconds: `850 µs`, `12.3 ms`, `1.50 s`. A missing figure is `n/a`. */
export function millis(value: number | null): string {
  if (value === null) return "n/a";
  if (value >= 999.5) return `${significant(value / 1000)} s`;
  if (value >= 0.9995) return `${significant(value)} ms`;
  return `${significant(value * 1000)} µs`;
}

/** Formats a tick of a logarithmic axis of milliseconds: `100 µs`, `1 ms`, `10 s`. */
export function tick(value: number): string {
  const plain = (scaled: number, unit: string): string => `${Number(scaled.toPrecision(3))} ${unit}`;
  if (value >= 1000) return plain(value / 1000, "s");
  return value >= 1 ? plain(value, "ms") : plain(value * 1000, "µs");
}

/** Formats a number for an axis: `12k`, `1.5M`, `250`. */
export function short(value: number): string {
  const plain = (scaled: number): string => String(Number(scaled.toPrecision(3)));
  if (Math.abs(value) >= 1e6) return `${plain(value / 1e6)}M`;
  return Math.abs(value) >= 1e4 ? `${plain(value / 1e3)}k` : plain(value);
}

/** Formats seconds since the start of the run: `45 s`, `12:30`, `2:05:00`. `span` is the length of the axis. */
export function clock(seconds: number, span: number): string {
  if (span < 120) return `${Number(seconds.toPrecision(6))} s`;
  const whole = Math.round(seconds);
  const two = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return span < 3600 ? `${Math.floor(whole / 60)}:${two(whole % 60)}` : `${hours}:${two(minutes)}:${two(whole % 60)}`;
}

/** Begins a text with a capital. */
export const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
