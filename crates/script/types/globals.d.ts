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

/** A URL, as in the WHATWG standard. Functions such as `user.get` accept it in place of a string. */
declare class URL {
  /** Throws a `TypeError` if the text is not a URL. A relative URL needs a base. */
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  /** The query. Changes to it change the URL. */
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}

/** The query of a URL, as pairs of names and values. The request options `query` and `form` accept it. */
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | URLSearchParams | Iterable<readonly [string, string]> | Record<string, string>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(fn: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

/** Returns a deep copy. Throws a `DOMException` if the value contains a function, a symbol or an object of
 * headcount. */
declare function structuredClone<T>(value: T): T;

/**
 * Random values from the seeded generator of the current user. A run with the same seed repeats them. Not available at
 * the top level of a module. `crypto.subtle` is not supported: use `hash` and `hmac`.
 */
declare const crypto: {
  /** Returns a UUID of version 4. */
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  /** Fills an integer array of at most 65,536 bytes, and returns it. */
  getRandomValues<
    T extends
      | Int8Array
      | Uint8Array
      | Uint8ClampedArray
      | Int16Array
      | Uint16Array
      | Int32Array
      | Uint32Array
      | BigInt64Array
      | BigUint64Array,
  >(array: T): T;
};

/** Decodes base64 to a string with one character per byte. */
declare function atob(text: string): string;
/** Encodes a string with one character per byte (at most U+00FF) as base64. */
declare function btoa(text: string): string;

/** An error of `structuredClone`, `atob` or `btoa`. */
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly code: number;
}

/** Runs `fn` after the current code, before any code that waits for the target continues. */
declare function queueMicrotask(fn: () => void): void;

/** Monotonic time, for the script's own use. headcount measures requests, steps and deliveries more exactly. */
declare const performance: {
  /** Milliseconds since the script was loaded. */
  now(): number;
};
