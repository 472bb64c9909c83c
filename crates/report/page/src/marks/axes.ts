// Grid lines and the numbers beside them.

import type { Scale } from "../scale.ts";
import { join, line, text, type Svg } from "../svg.ts";

/** Returns horizontal grid lines with their values at the left. */
export function axisNumbers(values: readonly number[], y: Scale, left: number, right: number, format: (value: number) => string): Svg {
  return join(values.map((value) => join([line(left, y(value), right, y(value), { class: "grid" }), text(format(value), left - 8, y(value) + 4, { "text-anchor": "end" })])));
}

/** Returns the base line and the values below it. */
export function axisBelow(values: readonly number[], x: Scale, left: number, right: number, bottom: number, format: (value: number) => string, title: string): Svg {
  const numbers = values.map((value) => text(format(value), x(value), bottom + 18, { "text-anchor": "middle" }));
  return join([line(left, bottom, right, bottom, { class: "axis" }), ...numbers, text(title, (left + right) / 2, bottom + 38, { "text-anchor": "middle" })]);
}

/** Returns vertical grid lines. */
export function gridAcross(values: readonly number[], x: Scale, top: number, bottom: number): Svg {
  return join(values.map((value) => line(x(value), top, x(value), bottom, { class: "grid" })));
}
