// The order of the cells of a table, from their text.

/** Factors of the units that the reports print. Units of one kind share a base. */
const UNITS: Readonly<Record<string, number>> = {
  "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
};

/** Returns the number that a cell begins with, in its base unit; otherwise its text. A missing figure ranks below all. */
export function sortKey(cell: string): number | string {
  const words = cell.trim();
  if (words === "–" || words === "" || words.startsWith("n/a")) return Number.NEGATIVE_INFINITY;
  const found = /^([><≤≥] ?)?([-−]?[\d,]*\.?\d+)(?:\s?(ns|µs|ms|s|min|h|B|kB|MB|GB|TB)(?![a-z]))?/.exec(words);
  if (!found?.[2]) return words;
  const value = Number(found[2].replaceAll(",", "").replace("−", "-"));
  const beyond = found[1]?.startsWith(">") === true ? 1 + 1e-9 : 1;
  return value * (UNITS[found[3] ?? ""] ?? 1) * beyond;
}
