/**
 * Environment variables. Written by `headcount init`; do not edit.
 */
declare module "headcount" {
  /**
   * The value of an environment variable that was passed with `--env NAME=VALUE`, or with `--env NAME` to take it from
   * headcount's own environment. Scenarios cannot read other variables. Works at the top level too, for `options`.
   *
   * Without a value, returns `fallback`; without a fallback, throws. The record holds the names of the variables, and
   * `***` wherever a text contains a value of four characters or more.
   */
  export function env(name: string): string;
  export function env<T>(name: string, fallback: T): string | T;
}
