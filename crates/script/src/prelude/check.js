// Errors, and checks of arguments that are cheaper here than in native code.

/** An error with a side and a kind, as the engine reports it. */
export class Failure extends Error {
  constructor(side, kind, message) {
    super(message);
    this.side = side;
    this.kind = kind;
  }
}
Object.defineProperty(Failure.prototype, "name", { value: "Failure" });

export const failure = (side, kind, message) => new Failure(side, kind, message);

const noStack = () => undefined;

/**
 * Creates the error of a promise that is rejected later, when no user code is on the stack. It has no stack yet: the
 * script engine adds one where the `await` throws it. The location thus costs time only when a call fails.
 */
export const rejection = (side, kind, message) => withoutStack(() => new Failure(side, kind, message));

/** Returns the error that `make` creates, without a stack. */
export function withoutStack(make) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = noStack;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export const isBarrier = (error) => error instanceof Failure && error.kind === "barrier";

export function mustBeFunction(value, what) {
  if (typeof value !== "function") throw new TypeError(`${what} must be a function, not ${typeof value}`);
}

export function mustBeName(value, what) {
  if (typeof value !== "string" || value === "") throw new TypeError(`${what} must be a name`);
}

export function mustBeEvent(event, call, known) {
  if (!known.includes(event)) {
    throw new TypeError(`${call}: the event must be ${known.map((name) => `"${name}"`).join(" or ")}, not ${JSON.stringify(event)}`);
  }
}

/** Throws unless every key of an option object is known. */
export function mustKnow(options, call, known) {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${call}: the options must be an object, not ${typeof options}`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new TypeError(`${call}: unknown option \`${key}\`; expected one of: ${known.join(", ")}`);
  }
}

/** Returns a number in [0, 1), a whole number below `n`, or an element of a list. */
export function pick(share, of) {
  if (of === undefined) return share;
  if (typeof of === "number") {
    if (!(of > 0)) throw new TypeError(`random(n): \`n\` must be above 0, not ${of}`);
    return Math.floor(share * of);
  }
  if (!Array.isArray(of) || of.length === 0) throw new TypeError("random(list): the list must be a non-empty array");
  return of[Math.floor(share * of.length)];
}

/** Parses JSON that the target sent. JSON that cannot be parsed is a failure of the target. */
export function parseReceived(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Without memory for an error, the script engine throws null.
    if (!(error instanceof Error) || error.message.includes("out of memory")) throw error;
    throw new Failure("target", "protocol", `the target sent JSON that cannot be parsed: ${error.message}`);
  }
}
