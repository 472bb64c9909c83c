// Figures as CSV (RFC 4180).

import type { Cell, Figures } from "../chart.ts";

/** Returns one cell. A text that a spreadsheet would run as a formula gets an apostrophe. */
function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the figures with a header. Missing figures are empty. */
export function csv({ titles, rows }: Figures): string {
  const header = titles.map((title) => title.replaceAll(" ", "_"));
  return `${[header, ...rows].map((row) => row.map(cell).join(",")).join("\n")}\n`;
}
