// Formats values for people: for `console`, and for thrown values that are not errors.

import { explained } from "headcount/absent";

/** Name of the method that returns the visible properties of an object of this API. */
export const shown = Symbol("shown");

const DEPTH = 4;
const ITEMS = 100;

const isName = /^[A-Za-z_$][\w$]*$/;

function entries(value, depth, seen) {
  const keys = Object.keys(value);
  const shown = keys.slice(0, ITEMS).map((key) => {
    const name = isName.test(key) ? key : JSON.stringify(key);
    return `${name}: ${inspect(value[key], depth + 1, seen)}`;
  });
  if (keys.length > ITEMS) shown.push(`… ${keys.length - ITEMS} more`);
  return shown;
}

function items(list, depth, seen) {
  const shown = list.slice(0, ITEMS).map((item) => inspect(item, depth + 1, seen));
  if (list.length > ITEMS) shown.push(`… ${list.length - ITEMS} more`);
  return shown;
}

const block = (open, shown, close) => (shown.length === 0 ? open + close : `${open} ${shown.join(", ")} ${close}`);

function object(value, depth, seen) {
  if (value instanceof Error) {
    const lines = typeof value.stack === "string" ? userLines(value.stack) : [];
    return [`${value.name}: ${explained(value.name, String(value.message))}`, ...lines].join("\n");
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "Promise {}";
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${value.byteLength})`;
  if (Array.isArray(value)) return depth >= DEPTH ? "[…]" : `[${items(value, depth, seen).join(", ")}]`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.length ?? value.byteLength})`;
  if (depth >= DEPTH) return "{…}";
  if (value instanceof Map) {
    const shown = [...value].slice(0, ITEMS).map(([key, of]) => `${inspect(key, depth + 1, seen)} => ${inspect(of, depth + 1, seen)}`);
    return `Map(${value.size}) ${block("{", shown, "}")}`;
  }
  if (value instanceof Set) return `Set(${value.size}) ${block("{", items([...value], depth, seen), "}")}`;
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  if (shown in value) return `${name} ${block("{", entries(value[shown](), depth, seen), "}")}`;
  const prefix = name && name !== "Object" ? `${name} ` : "";
  return prefix + block("{", entries(value, depth, seen), "}");
}

/** Returns the lines of a stack outside this API. */
export function userLines(stack) {
  return stack.split("\n").filter((line) => line.trim() !== "" && !line.includes("headcount/") && !line.includes("(native)"));
}

function inspect(value, depth, seen) {
  switch (typeof value) {
    case "string": return JSON.stringify(value);
    case "bigint": return `${value}n`;
    case "symbol": return value.toString();
    case "function": return value.name ? `[function ${value.name}]` : "[function]";
    case "object": break;
    default: return Object.is(value, -0) ? "-0" : String(value);
  }
  if (value === null) return "null";
  if (seen.includes(value)) return "[circular]";
  seen.push(value);
  try {
    return object(value, depth, seen);
  } finally {
    seen.pop();
  }
}

/** Formats one value; never throws. */
export function describe(value) {
  try {
    return inspect(value, 0, []);
  } catch {
    return `[${typeof value}]`;
  }
}

/** Formats several values on a line. Strings are shown without quotes. */
export const line = (values) => values.map((value) => (typeof value === "string" ? value : describe(value))).join(" ");

/**
 * Returns `{ options, problems }` as JSON text. Values that JSON would drop or change silently are problems with their
 * path.
 */
export function plain(value) {
  const problems = [];
  const options = copied(value, "", [], problems);
  return JSON.stringify({ options, problems });
}

function copied(value, path, above, problems) {
  const wrong = (what) => {
    problems.push({ path, message: `must be plain data, not ${what}` });
    return null;
  };
  switch (typeof value) {
    case "function": case "symbol": case "bigint": return wrong(`a ${typeof value}`);
    case "number": return Number.isFinite(value) ? value : wrong(value);
    case "object": break;
    default: return value;
  }
  if (value === null) return null;
  if (value instanceof Promise) return wrong("a promise");
  if (above.includes(value)) return wrong("something that contains itself");
  const inside = [...above, value];
  if (typeof value.toJSON === "function") return copied(value.toJSON(), path, inside, problems);
  if (Array.isArray(value)) return value.map((item, at) => copied(item, `${path}[${at}]`, inside, problems));
  const copy = {};
  for (const key of Object.keys(value)) {
    copy[key] = copied(value[key], path === "" ? key : `${path}.${key}`, inside, problems);
  }
  return copy;
}
