// Globals that scenarios can use, and globals that are disabled.
import { chance, log, mayLeave, utf8Decode, utf8Encode } from "headcount/native";
import { CALLS, refused, refusedMethods } from "headcount/absent";
import { structuredClone } from "headcount/clone";
import { crypto } from "headcount/crypto";
import { line } from "headcount/inspect";
import { URL, URLSearchParams } from "headcount/url";

const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

define("console", Object.freeze({
  debug: (...values) => log(0, line(values)),
  log: (...values) => log(1, line(values)),
  info: (...values) => log(1, line(values)),
  warn: (...values) => log(2, line(values)),
  error: (...values) => log(3, line(values)),
  ...refusedMethods("console"),
}));
Object.assign(performance, refusedMethods("performance"));

define("TextEncoder", class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return utf8Encode(String(text)); }
});

define("TextDecoder", class TextDecoder {
  #fatal;
  constructor(label = "utf-8", options = {}) {
    if (!/^utf-?8$/i.test(label)) throw new RangeError(`TextDecoder supports only utf-8, not ${label}`);
    this.#fatal = Boolean(options.fatal);
  }
  get encoding() { return "utf-8"; }
  get fatal() { return this.#fatal; }
  decode(bytes) { return bytes === undefined ? "" : utf8Decode(bytes, this.#fatal); }
});

// After `Promise.race` and `Promise.any`, the other promises may stay unawaited.
for (const name of ["race", "any"]) {
  const first = Promise[name];
  Object.defineProperty(Promise, name, {
    value: { [name](promises) { mayLeave(); return first.call(this, promises); } }[name], writable: true, configurable: true,
  });
}

Math.random = () => chance();

define("URL", URL);
define("URLSearchParams", URLSearchParams);
define("structuredClone", structuredClone);
define("crypto", crypto);

for (const [name, advice] of Object.entries(CALLS)) define(name, refused(name, advice));

// `Function("…")` and its variants, which are reachable through the `constructor` of every function.
const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
for (const sample of kinds) {
  const prototype = Object.getPrototypeOf(sample);
  const refused = function Function() {
    throw new TypeError("Function(text) is not available in scenarios: code comes from files only");
  };
  Object.defineProperty(refused, "prototype", { value: prototype });
  Object.defineProperty(prototype, "constructor", { value: refused });
  if (sample === kinds[0]) define("Function", refused);
}
