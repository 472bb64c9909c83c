/** Eight colours with enough contrast to white text, distinct on light and dark backgrounds. */

const COLORS = ["#c2255c", "#1c64d1", "#2b7a3a", "#b04a08", "#7048e8", "#0b7285", "#ae3ec9", "#80610a"] as const;

/** The colour for a name: always the same, unless others in the room have it. */
export function colorFor(name: string, taken: ReadonlySet<string>): string {
  const start = [...name].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) >>> 0, 7);
  const order = COLORS.map((_, step) => COLORS[(start + step) % COLORS.length] as string);
  return order.find((color) => !taken.has(color)) ?? (order[0] as string);
}

/** The colour in which others see a person's selection. */
export const lighter = (color: string) => `${color}33`;

/** Accepts only plain hexadecimal colours, because a colour from another client may be any text. */
export function safeColor(color: unknown, name: string): string {
  return typeof color === "string" && /^#[0-9a-f]{6}$/i.test(color) ? color : colorFor(name, new Set());
}

/** Up to two letters of a name, for an avatar. */
export function initials(name: string): string {
  const words = name.trim().split(/[\s._-]+/u).filter(Boolean);
  const letters = words.length < 2 ? [...(words[0] ?? "?")].slice(0, 2) : [words[0], words.at(-1)].map((word) => [...(word ?? "")][0]);
  return letters.join("").toUpperCase();
}
