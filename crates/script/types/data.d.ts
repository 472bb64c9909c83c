/**
 * Test data from files. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  /** Rows of a file, stored once for all workers. */
  export interface Table<T extends object = Record<string, string>> {
    readonly length: number;
    at(index: number): T;
  }
  /** "cycle" (default): one row per user number, starting again after the last row. "unique": the same, but too few
   * rows are an error. "random": a random row in every iteration. */
  export type Take = "unique" | "cycle" | "random";
  /** Reads a CSV file (.csv, .tsv, .txt) with a header line, from the scenario's folder. Works only at the top level.
   * With `take: "unique"`, the file must have a row for each user of the largest level. This is checked before the
   * load; in an open load, a user without a row fails its iteration, because the load determines how many users work
   * at a time. */
  export function csv<T extends object = Record<string, string>>(path: string, options?: { take?: Take; separator?: string }): Table<T>;
  /** Reads a JSON file that contains an array. Works only at the top level. */
  export function json<T extends object = any>(path: string, options?: { take?: Take }): Table<T>;
}
