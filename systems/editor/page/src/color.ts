/** Eight colours that white text can stand on, told apart on light and on dark. */

const COLORS = ["#c2255c", "#1c64d1", "#2b7a3a", "#b04a08", "#7048e8", "#0b7285", "#ae3ec9", "#80610a"] as const;

/** A colour for a name: always the same one, unless others in the room have it. */
export function colorFor(name: string, taken: ReadonlySet<string>): string {
  const start = [...name].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) >>> 0, 7);
  const order = COLORS.map((_, step) => COLORS[(start + step) % COLORS.length] as string);
  return order.find((color) => !taken.has(color)) ?? (order[0] as string);
}

/** What others paint selections with. */
export const lighter = (color: string) => `${color}33`;

/** A colour that came from somebody else may be any text: only plain hexadecimal ones are used. */
export function safeColor(color: unknown, name: string): string {
  return typeof color === "string" && /^#[0-9a-f]{6}$/i.test(color) ? color : colorFor(name, new Set());
}

/** Up to two letters for an avatar. */
export function initials(name: string): string {
  const words = name.trim().split(/[\s._-]+/u).filter(Boolean);
  const letters = words.length < 2 ? [...(words[0] ?? "?")].slice(0, 2) : [words[0], words.at(-1)].map((word) => [...(word ?? "")][0]);
  return letters.join("").toUpperCase();
}
