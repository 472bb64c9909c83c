// SVG as text. Names and texts from targets and scripts are escaped here, and nowhere else.

declare const escaped: unique symbol;
/** A piece of SVG in which all texts are escaped. */
export type Svg = string & { readonly [escaped]: true };

export type Attributes = Readonly<Record<string, string | number | null>>;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? "");
const shown = (value: string | number): string => (typeof value === "number" ? String(Math.round(value * 100) / 100) : escape(value));

/** Joins pieces. */
export const join = (pieces: readonly Svg[]): Svg => pieces.join("") as Svg;
export const nothing = "" as Svg;

/** Returns an element. Attributes that are null are omitted. */
export function tag(name: string, attributes: Attributes = {}, ...children: readonly Svg[]): Svg {
  const given = Object.entries(attributes).map(([key, value]) => (value === null ? "" : ` ${key}="${shown(value)}"`));
  return `<${name}${given.join("")}>${children.join("")}</${name}>` as Svg;
}

/** Returns a text. */
export function text(content: string, x: number, y: number, attributes: Attributes = {}): Svg {
  return tag("text", { x, y, ...attributes }, escape(content) as Svg);
}

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): Svg => tag("line", { x1, y1, x2, y2, ...attributes });
export const rect = (x: number, y: number, width: number, height: number, attributes: Attributes): Svg =>
  tag("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes });
export const circle = (cx: number, cy: number, r: number, attributes: Attributes): Svg => tag("circle", { cx, cy, r, ...attributes });

/** Returns a line through points. */
export function polyline(points: readonly (readonly [number, number])[], attributes: Attributes): Svg {
  if (points.length === 0) return nothing;
  const steps = points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`);
  return tag("path", { d: steps.join(""), fill: "none", ...attributes });
}

/** Returns the width of a text at 12 px, roughly. SVG text cannot be measured before it is drawn. */
export const widthOf = (content: string): number => content.length * 6.6;
