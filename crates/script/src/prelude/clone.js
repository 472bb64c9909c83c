// The global `structuredClone` of the web.

const refused = (what) => new DOMException(`structuredClone(value): ${what} cannot be cloned`, "DataCloneError");

/** Built-in objects whose content is out of reach. */
const OPAQUE = [Promise, WeakMap, WeakSet, WeakRef, SharedArrayBuffer, Symbol];

/** Errors that keep their kind. All others become an `Error`. */
const ERRORS = new Map([EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((kind) => [kind.name, kind]));

/** Adds a copy before its parts are cloned: a part may refer to the whole. */
function add(known, value, copy) {
  known.set(value, copy);
  return copy;
}

function view(value, known) {
  const bytes = clone(value.buffer, known);
  const length = value instanceof DataView ? value.byteLength : value.length;
  return add(known, value, new value.constructor(bytes, value.byteOffset, length));
}

function error(value, known) {
  const copy = add(known, value, new (ERRORS.get(value.name) ?? Error)(value.message));
  copy.stack = value.stack;
  if (Object.hasOwn(value, "cause")) {
    Object.defineProperty(copy, "cause", { value: clone(value.cause, known), writable: true, configurable: true });
  }
  return copy;
}

function map(value, known) {
  const copy = add(known, value, new Map());
  for (const [key, item] of [...value]) copy.set(clone(key, known), clone(item, known));
  return copy;
}

function set(value, known) {
  const copy = add(known, value, new Set());
  for (const item of [...value]) copy.add(clone(item, known));
  return copy;
}

/** Name of a module of headcount. Names of the user's modules have an extension. */
const OUR_MODULE = /^headcount(\/[a-z]+)?$/;

/** Whether an object belongs to headcount. Its content is private, so a copy would be empty. */
function isOurs(value) {
  const kind = Object.getPrototypeOf(value);
  if (kind === null || kind === Object.prototype) return false;
  return !Object.hasOwn(kind, "constructor") || OUR_MODULE.test(kind.constructor?.fileName);
}

/** Clones what remains: plain objects, lists, and objects of the user's classes, which become plain objects. */
function plain(value, known) {
  const name = Object.getPrototypeOf(value)?.constructor?.name ?? "this object";
  if (OPAQUE.some((kind) => value instanceof kind) || isOurs(value)) throw refused(name);
  const copy = add(known, value, Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) {
    const item = clone(value[key], known);
    Object.defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}

function object(value, known) {
  if (Array.isArray(value)) return plain(value, known);
  if (value instanceof Map) return map(value, known);
  if (value instanceof Set) return set(value, known);
  if (value instanceof Date) return add(known, value, new Date(value.getTime()));
  if (value instanceof RegExp) return add(known, value, new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return add(known, value, value.slice(0));
  if (ArrayBuffer.isView(value)) return view(value, known);
  if (value instanceof Error) return error(value, known);
  for (const kind of [Boolean, Number, String, BigInt]) {
    if (value instanceof kind) return add(known, value, Object(value.valueOf()));
  }
  return plain(value, known);
}

function clone(value, known) {
  if (typeof value === "function") throw refused(`the function ${value.name || "()"}`);
  if (typeof value === "symbol") throw refused("a symbol");
  if (typeof value !== "object" || value === null) return value;
  return known.has(value) ? known.get(value) : object(value, known);
}

export function structuredClone(value, options) {
  if (options?.transfer?.length > 0) throw new TypeError("structuredClone(value, options): `transfer` is not supported");
  return clone(value, new Map());
}
