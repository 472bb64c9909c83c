// Tables that can be sorted and filtered: those of the report, and those of the charts.

import type { Cell, Figures } from "../chart.ts";
import { sortKey } from "./sort_key.ts";
import { button, element } from "./dom.ts";

/** From this number of rows on, a table can be filtered. */
const MANY = 8;
/** Rows shown of a long table. The others are in the CSV. */
const SHOWN = 2000;

/** Returns the table of a chart. */
export function figureTable({ titles, rows }: Figures, label: string): HTMLElement {
  const head = element("tr", {}, ...titles.map((title, index) => element("th", { scope: "col", ...(isNumber(rows, index) ? { class: "n" } : {}) }, title)));
  const lines = rows.slice(0, SHOWN).map((row) => element("tr", {}, ...row.map((cell, index) => element("td", isNumber(rows, index) ? { class: "n" } : {}, shown(cell)))));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines));
  const box = element("div", { class: "table", tabindex: "0", role: "region", "aria-label": `Figures: ${label}` }, table);
  const whole = element("div", {}, box);
  if (rows.length > SHOWN) whole.append(element("p", { class: "note" }, `The first ${SHOWN} of ${rows.length} rows. Copy CSV copies all.`));
  makeSortable(table);
  return whole;
}

const isNumber = (rows: readonly Cell[][], column: number): boolean => rows.some((row) => typeof row[column] === "number");
const shown = (cell: Cell): string => (cell === null ? "–" : typeof cell === "number" ? cell.toLocaleString("en-US", { maximumFractionDigits: 3 }) : cell);

/** Makes the tables of the report sortable, and long ones filterable. */
export function enrichTables(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>(".table")) {
    const table = box.querySelector("table");
    if (!table) continue;
    const title = box.closest("details")?.querySelector("h2")?.textContent ?? "Table";
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", `Table: ${title}`);
    makeSortable(table);
    if ((table.tBodies[0]?.rows.length ?? 0) >= MANY) box.before(filterOf(table, title));
  }
}

function makeSortable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  const heads = [...table.querySelectorAll<HTMLTableCellElement>("thead th")];
  if (!body || body.rows.length < 2) return;
  heads.forEach((head, column) => {
    const title = head.textContent ?? "";
    head.replaceChildren(button(title, () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = [...body.rows].map((row) => ({ row, key: sortKey(row.cells[column]?.textContent ?? "") }));
      keyed.sort((a, b) => (down ? compare(b.key, a.key) : compare(a.key, b.key)));
      body.append(...keyed.map(({ row }) => row));
    }));
  });
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return 1;
  if (typeof b === "number") return -1;
  return a.localeCompare(b, "en", { numeric: true });
}

function filterOf(table: HTMLTableElement, title: string): HTMLElement {
  const input = element("input", { type: "search", placeholder: "Filter rows", "aria-label": `Filter: ${title}` });
  const found = element("span", { "aria-live": "polite" });
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const rows = [...(table.tBodies[0]?.rows ?? [])];
    for (const row of rows) row.hidden = !words.every((word) => (row.textContent ?? "").toLowerCase().includes(word));
    const visible = rows.filter((row) => !row.hidden).length;
    found.textContent = words.length === 0 ? "" : `${visible} of ${rows.length} rows`;
  });
  return element("div", { class: "filter" }, input, found);
}
