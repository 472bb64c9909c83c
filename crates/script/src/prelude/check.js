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
 * The same for a promise that is rejected later, when nobody's code is on the stack: it has no stack yet, and the
 * script engine gives it one where the `await` throws it. So the place costs something only when a call fails.
 */
export function rejection(side, kind, message) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = noStack;
  Error.stackTraceLimit = 0;
  try {
    return new Failure(side, kind, message);
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

/** Every key of an option object must be known. */
export function mustKnow(options, call, known) {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${call}: the options must be an object, not ${typeof options}`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new TypeError(`${call}: unknown option \`${key}\`; there are: ${known.join(", ")}`);
  }
}

/** A number in [0, 1), below `n`, or one of a list. */
export function pick(share, of) {
  if (of === undefined) return share;
  if (typeof of === "number") {
    if (!(of > 0)) throw new TypeError(`random(n): \`n\` must be above 0, not ${of}`);
    return Math.floor(share * of);
  }
  if (!Array.isArray(of) || of.length === 0) throw new TypeError("random(list): the list must be an array with something in it");
  return of[Math.floor(share * of.length)];
}
