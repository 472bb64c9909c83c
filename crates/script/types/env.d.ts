/**
 * Environment variables. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  /**
   * Returns the value of an environment variable that was passed with `--env NAME=VALUE`, or with `--env NAME` to take
   * it from headcount's own environment. Scenarios cannot read other variables. `env` also works at the top level of a
   * module, for example in `options`.
   *
   * If the variable was not passed, `env` returns `fallback`, or throws if there is none. The record contains the names
   * of the variables, but not their values: in options, names and errors, `***` replaces every value of four characters
   * or more.
   */
  export function env(name: string): string;
  export function env<T>(name: string, fallback: T): string | T;
}
