/**
 * Test data from files. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  /** The rows of a file. They are stored in memory once, for all workers. */
  export interface Table<T extends object = Record<string, string>> {
    readonly length: number;
    /** Row `index`, from 0. A negative index counts from the end. `undefined` if there is no such row. */
    at(index: number): T;
  }
  /**
   * Selects the row that `user.row` returns.
   * - "cycle" (default): the row with the user's number. After the last row, the first one follows.
   * - "unique": the same, but it is an error if there are fewer rows than users.
   * - "random": a random row in every iteration.
   */
  export type Take = "unique" | "cycle" | "random";
  /** Reads a CSV file (.csv, .tsv, .txt) with a header line, from the scenario's folder. Call it at the top level of a
   * module. With `take: "unique"`, the file needs a row for each user of the largest level, which headcount checks
   * before the load. In an open load, the number of active users depends on the target, so headcount cannot check it.
   * There, the iteration of a user without a row fails. */
  export function csv<T extends object = Record<string, string>>(path: string, options?: { take?: Take; separator?: string }): Table<T>;
  /** Reads a JSON file that contains an array. Call it at the top level of a module. */
  export function json<T extends object = any>(path: string, options?: { take?: Take }): Table<T>;
}
