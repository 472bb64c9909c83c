/**
 * Globals that a scenario can use, in addition to those of the language. Written by `headcount init`; do not edit.
 */

/** Encodes UTF-8 only. */
declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
}
/** Decodes UTF-8 only. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  decode(bytes?: ArrayBuffer | Uint8Array): string;
}

declare const console: {
  debug(...values: unknown[]): void;
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};
