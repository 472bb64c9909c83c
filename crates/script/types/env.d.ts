/**
 * Environment variables. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  /**
   * The value of an environment variable that was passed with `--env NAME=VALUE`, or with `--env NAME` to take it from
   * headcount's own environment. Scenarios cannot read other variables. Works at the top level too, for `options`.
   *
   * If the variable was not passed, returns `fallback`, or throws if there is no fallback. The record holds the names
   * of the variables. In texts, it shows `***` in place of a value of four characters or more.
   */
  export function env(name: string): string;
  export function env<T>(name: string, fallback: T): string | T;
}
