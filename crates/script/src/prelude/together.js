// Concurrent users: running them, barriers between them, steps, conditions.
import { concurrent, now, pause, span, stepBegin, stepEnd, stepFailed, stepName } from "headcount/native";
import { userLines } from "headcount/inspect";
import { storyOf } from "headcount/story";
import { Failure, isBarrier, mustBeFunction, mustBeName, mustKnow, rejection } from "headcount/check";

/** Records the user and step of a failure. The innermost ones take precedence. */
export function blame(key, error, user, stepName) {
  const story = storyOf(key);
  if (story.blame === undefined || story.blame.error !== error) story.blame = { error, user: undefined, step: undefined };
  story.blame.user ??= user;
  story.blame.step ??= stepName;
}

/** Numbers of the names of steps and conditions, so that not every call passes text to native code. */
const stepNumbers = new Map();
const conditionNumbers = new Map();
const NUMBERS_KEPT = 512;

function numberOf(numbers, name) {
  let number = numbers.get(name);
  if (number === undefined) {
    number = stepName(name, numbers === conditionNumbers);
    if (numbers.size < NUMBERS_KEPT) numbers.set(name, number);
  }
  return number;
}

// Not `async`: a suspended frame costs a kilobyte, and a rejection is thrown in the user's code.
export function step(key, user, name, fn) {
  mustBeName(name, "step(name, fn): the name");
  mustBeFunction(fn, "step(name, fn): `fn`");
  const begun = stepBegin(key, user, numberOf(stepNumbers, name));
  const succeeded = (result) => {
    stepEnd(key, user, begun);
    return result;
  };
  const failed = (error) => {
    blame(key, error, user, name);
    stepFailed(key, user, begun, error);
    return Promise.reject(error);
  };
  let ended;
  try {
    ended = fn();
  } catch (error) {
    return failed(error);
  }
  return Promise.resolve(ended).then(succeeded, failed);
}

const PLACES_TOLD = 4;
const NAMES_TOLD = 3;

/** Formats the first of many names. */
function some(names) {
  const told = names.slice(0, NAMES_TOLD).join(" and ");
  return names.length > NAMES_TOLD ? `${told} and ${names.length - NAMES_TOLD} more` : told;
}

/** Returns the line of the scenario that threw, in brackets. */
function lineOf(error) {
  const [line] = userLines(String(error.stack ?? ""));
  const place = line?.match(/([^\s()]+:\d+):\d+\)?$/);
  return place ? ` (${place[1]})` : undefined;
}

/**
 * The barriers at which the members of one `everyone` wait for each other. It has plain fields because private fields
 * cost more, and no scenario can see it.
 */
class Barriers {
  constructor(key, count) {
    this.key = key;
    this.count = count;
    this.waiting = undefined;
    /** The member who ended first, or a mark that the barriers were unblocked. */
    this.gone = undefined;
    /** The waiting members that `unblock` rejected. */
    this.astray = undefined;
  }

  arrive(name, member) {
    mustBeName(name, "here(name): the name");
    if (this.gone !== undefined) return Promise.reject(this.closed(name));
    this.waiting ??= new Map();
    let place = this.waiting.get(name);
    if (place === undefined) {
      this.waiting.set(name, (place = new Map()));
      // Members may be waiting at different barriers. This is rare, so most iterations do not store their barriers.
      if (this.waiting.size === 2) (storyOf(this.key).barriers ??= new Set()).add(this);
    }
    if (place.has(member)) throw new TypeError(`here(${JSON.stringify(name)}): called twice by the same user; is an \`await\` missing?`);
    if (place.size + 1 === this.count) {
      this.waiting.delete(name);
      for (const waiter of place.values()) waiter.resolve();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => place.set(member, { resolve, reject }));
  }

  /** A member ended. Barriers without this member never open. */
  leave(user, failed) {
    this.gone ??= { user, failed };
    if (this.waiting === undefined) return;
    for (const [place, waiters] of this.waiting) {
      for (const waiter of waiters.values()) waiter.reject(this.closed(place));
    }
    this.waiting.clear();
  }

  /**
   * Rejects the waiting members if nothing more happens in the group and they wait at different barriers. Returns
   * whether there were any.
   */
  unblock() {
    if (this.waiting === undefined || this.waiting.size < 2) return false;
    this.astray = [];
    for (const [place, waiters] of this.waiting) {
      for (const [user, { reject }] of waiters) this.astray.push({ place, user, error: rejection("script", "barrier", ""), reject });
    }
    this.gone = { astray: true };
    this.waiting.clear();
    const message = this.standing(false);
    for (const { error, reject } of this.astray) {
      error.message = message;
      reject(error);
    }
    return true;
  }

  /** Describes who waits at which barrier, and after the rejections also where in the scenario. */
  standing(thrown) {
    const at = new Map();
    for (const { place, user, error } of this.astray) {
      const where = `here(${JSON.stringify(place)})${(thrown && lineOf(error)) || ""}`;
      if (!at.has(where)) at.set(where, []);
      at.get(where).push(user.name);
    }
    const told = [...at].slice(0, PLACES_TOLD).map(([where, names]) => `${some(names)} at ${where}`);
    if (at.size > PLACES_TOLD) told.push(`others at ${at.size - PLACES_TOLD} more`);
    return `the users wait at different barriers, so none can open: ${told.join(", ")}`;
  }

  closed(place) {
    const { user, failed, astray } = this.gone;
    if (astray) return rejection("script", "barrier", `the barrier ${JSON.stringify(place)} cannot open: the users waited at different barriers`);
    return rejection("script", "barrier", `the barrier ${JSON.stringify(place)} cannot open: ${user.name} ${failed ? "failed" : "ended"}`);
  }
}

/**
 * Runs `fn` for all users concurrently. Settles when the last one has ended, with the first failure if there is one.
 * The shared state is an object, not closures: creating a function costs more than several calls.
 */
function all(key, users, keyOf, fn, barriers) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const count = users.length;
  const course = { key, keyOf, barriers, results: new Array(count), open: count, failures: 0, first: undefined, resolve, reject };
  if (count === 0) resolve(course.results);
  if (count > 1) concurrent(key, true);
  for (let index = 0; index < count; index += 1) begin(course, users[index], index, fn);
  return promise;
}

function begin(course, user, index, fn) {
  const { barriers } = course;
  let ended;
  try {
    ended = Promise.resolve(fn(user, barriers === undefined ? index : (name) => barriers.arrive(name, user)));
  } catch (error) {
    ended = Promise.reject(error);
  }
  // Not `async`: a suspended frame for every user would cost a kilobyte.
  ended.then(
    (result) => end(course, user, index, result, false),
    (error) => end(course, user, index, error, true),
  );
}

function end(course, user, index, given, failed) {
  if (!failed) {
    course.results[index] = given;
  } else {
    // A barrier that cannot open is a consequence of another failure, which it must not hide.
    if (course.failures === 0 || (isBarrier(course.first) && !isBarrier(given))) {
      course.first = given;
      blame(course.key, given, course.keyOf(user), undefined);
    }
    course.failures += 1;
  }
  course.barriers?.leave(user, failed);
  course.open -= 1;
  if (course.open > 0) return;
  if (course.results.length > 1) concurrent(course.key, false);
  const stray = course.barriers?.astray?.find(({ error }) => error === course.first);
  if (stray !== undefined) stray.error.message = course.barriers.standing(true);
  if (course.failures === 0) course.resolve(course.results);
  else course.reject(course.first);
}

export function everyone(key, users, keyOf, fn) {
  mustBeFunction(fn, "everyone(fn): `fn`");
  return all(key, users, keyOf, fn, new Barriers(key, users.length));
}

/** Rejects the barriers of a group that can never open. Returns whether there were any. */
export function unblock(key) {
  let any = false;
  for (const barriers of storyOf(key).barriers ?? []) any = barriers.unblock() || any;
  return any;
}

export function together(key, users, keyOf, fn) {
  if (!Array.isArray(users)) throw new TypeError("together(users, fn): `users` must be a list of users");
  mustBeFunction(fn, "together(users, fn): `fn`");
  users.forEach(keyOf);
  return all(key, users, keyOf, fn, undefined);
}

/** Runs the calls in order, at most `atOnce` of them concurrently. */
export async function inTurn(key, count, atOnce, run) {
  const results = new Array(count);
  let index = 0;
  const lane = async () => {
    while (index < count) {
      const mine = index++;
      results[mine] = await run(mine);
    }
  };
  const lanes = Array.from({ length: Math.min(atOnce, count) }, (_, at) => at);
  await all(key, lanes, () => undefined, lane, undefined);
  return results;
}

const POLL = "50ms";

export async function eventually(key, sleeper, name, within, condition, options) {
  const call = "eventually(name, within, condition, options)";
  mustBeName(name, `${call}: the name`);
  mustBeFunction(condition, `${call}: \`condition\``);
  mustKnow(options, call, ["every"]);
  const limit = span(within, `${call}: \`within\``);
  const every = options?.every ?? POLL;
  const missed = new Failure("target", "eventually", `${name}: not true within ${typeof within === "number" ? `${within}ms` : within}`);
  const begun = stepBegin(key, undefined, numberOf(conditionNumbers, name));
  const started = now();
  try {
    for (;;) {
      const held = await condition();
      const took = now() - started;
      if (held && took <= limit) return stepEnd(key, undefined, begun);
      if (took >= limit) throw missed;
      const left = (limit - took) / 1e6;
      await pause.call(sleeper, Math.min(span(every, `${call}: \`every\``) / 1e6, left), missed.stack);
    }
  } catch (error) {
    stepFailed(key, undefined, begun, error);
    throw error;
  }
}
