// Shapes that several charts use. A result differs in shape as well as in colour.

import type { Result, Status } from "../data.ts";
import { circle, join, line, rect, tag, type Svg } from "../svg.ts";

export const COLOUR: Readonly<Record<Status, string>> = {
  held: "var(--good)",
  failed: "var(--bad)",
  inconclusive: "var(--doubtful)",
  invalid: "var(--doubtful)",
  measured: "var(--axis)",
  running: "var(--data)",
};

/** Returns the small mark of a result: circle with a check (dashed if questionable), cross, diamond, or dot. */
export function mark({ status, questionable }: Result, x: number, y: number, r = 5.5): Svg {
  const stroke = { stroke: COLOUR[status], "stroke-width": 1.8, fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" };
  switch (status) {
    case "held":
      return join([
        circle(x, y, r, questionable ? { ...stroke, "stroke-dasharray": "2.4 2.6" } : stroke),
        tag("path", { d: `M${x - r * 0.45} ${y + r * 0.05}l${r * 0.35} ${r * 0.38}l${r * 0.62} ${-r * 0.78}`, ...stroke }),
      ]);
    case "failed":
      return tag("path", { d: `M${x - r * 0.62} ${y - r * 0.62}l${r * 1.24} ${r * 1.24}M${x + r * 0.62} ${y - r * 0.62}l${-r * 1.24} ${r * 1.24}`, ...stroke, "stroke-width": 2.6 });
    case "measured":
      return circle(x, y, 2.5, { fill: COLOUR.measured });
    case "running":
      return circle(x, y, r * 0.7, { ...stroke, "stroke-dasharray": "3 2" });
    case "inconclusive":
    case "invalid":
      return tag("path", { d: `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`, ...stroke });
  }
}

/** The opacity of a heat-map cell that holds this share of all values. */
export const heat = (share: number): number => 0.07 + 0.83 * Math.min(1, Math.sqrt(share / 0.3));

/** Returns the legend of the shades of a heat map. */
export const shades = (of: string): { sign: Svg; text: string } => ({
  sign: sign(66, ...[0.01, 0.05, 0.15, 0.3].map((share, index) => rect(index * 16.5, 1, 15.5, 12, { rx: 1.5, fill: "var(--data)", "fill-opacity": heat(share) }))),
  text: `1, 5, 15, 30 % of the ${of}`,
});

/** Returns the definition of a hatch, which marks invalid measurements. */
export function hatch(id: string): Svg {
  const stripe = line(0, 0, 0, 7, { stroke: "var(--axis)", "stroke-width": 1.4, "stroke-opacity": 0.55 });
  return tag("defs", {}, tag("pattern", { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, stripe));
}

/** Returns a sign for a legend. */
export function sign(width: number, ...content: readonly Svg[]): Svg {
  return tag("svg", { width, height: 14, viewBox: `0 0 ${width} 14`, "aria-hidden": "true" }, ...content);
}

export const stroke = (colour: string, width: number, dash: string | null = null): Record<string, string | number | null> => ({
  stroke: colour,
  "stroke-width": width,
  "stroke-dasharray": dash,
});

/** Returns a legend's sign of a line. */
export const lineSign = (colour: string, width: number, dash: string | null = null): Svg => sign(22, line(0, 7, 22, 7, stroke(colour, width, dash)));

