// Several people at once: running them, barriers between them, steps, conditions.
import { eventually as measured, now, span, stepBegin, stepEnd, think } from "headcount/native";
import { storyOf } from "headcount/story";
import { Failure, isBarrier, mustBeFunction, mustBeName, mustKnow, rejection } from "headcount/check";

/** Remembers whose failure it was, and in which step; the innermost knows best. */
export function blame(key, error, user, stepName) {
  const story = storyOf(key);
  if (story.blame === undefined || story.blame.error !== error) story.blame = { error, user: undefined, step: undefined };
  story.blame.user ??= user;
  story.blame.step ??= stepName;
}

// No `async` here: a suspended frame would cost a kilobyte, and what is rejected shall be thrown in the user's code.
export function step(key, user, name, fn) {
  mustBeName(name, "step(name, fn): the name");
  mustBeFunction(fn, "step(name, fn): `fn`");
  const started = stepBegin(key, user, name);
  const succeeded = (result) => {
    stepEnd(key, user, name, started, true);
    return result;
  };
  const failed = (error) => {
    blame(key, error, user, name);
    stepEnd(key, user, name, started, false);
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

/** The places where the members of one `everyone` wait for each other. */
class Barriers {
  #waiting = undefined;
  #count;
  /** Who ended first. */
  #gone = undefined;
  constructor(count) { this.#count = count; }

  arrive(name, member) {
    mustBeName(name, "here(name): the name");
    if (this.#gone !== undefined) return Promise.reject(this.#closed(name));
    this.#waiting ??= new Map();
    let place = this.#waiting.get(name);
    if (place === undefined) this.#waiting.set(name, (place = new Map()));
    if (place.has(member)) throw new TypeError(`here(${JSON.stringify(name)}): called twice by one user; is an \`await\` missing?`);
    if (place.size + 1 === this.#count) {
      this.#waiting.delete(name);
      for (const waiter of place.values()) waiter.resolve();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => place.set(member, { resolve, reject }));
  }

  /** A member ended: a barrier without them never opens. */
  leave(user, failed) {
    this.#gone ??= { user, failed };
    if (this.#waiting === undefined) return;
    for (const [place, waiters] of this.#waiting) {
      for (const waiter of waiters.values()) waiter.reject(this.#closed(place));
    }
    this.#waiting.clear();
  }

  #closed(place) {
    const { user, failed } = this.#gone;
    return rejection("script", "barrier", `the barrier ${JSON.stringify(place)} cannot open: ${user.name} ${failed ? "failed" : "ended"}`);
  }
}

/** Runs `call` for all at the same time; ends when the last has ended, with the first failure if any. */
function all(key, users, keyOf, call, left) {
  return new Promise((resolve, reject) => {
    const results = new Array(users.length);
    let open = users.length;
    let failures = 0;
    let first;
    const end = () => {
      if (--open > 0) return;
      if (failures === 0) resolve(results);
      else reject(first);
    };
    const failed = (user, error) => {
      // That a barrier stayed shut follows from another failure: it never hides that one.
      if (failures === 0 || (isBarrier(first) && !isBarrier(error))) {
        first = error;
        blame(key, error, keyOf(user), undefined);
      }
      failures += 1;
      left?.(user, true);
      end();
    };
    const run = (user, index) => {
      let ended;
      try {
        ended = call(user, index);
      } catch (error) {
        ended = Promise.reject(error);
      }
      // No `async` here: a suspended frame for every user would cost a kilobyte.
      Promise.resolve(ended).then(
        (result) => {
          results[index] = result;
          left?.(user, false);
          end();
        },
        (error) => failed(user, error),
      );
    };
    if (open === 0) resolve(results);
    users.forEach(run);
  });
}

export function everyone(key, users, keyOf, fn) {
  mustBeFunction(fn, "everyone(fn): `fn`");
  const barriers = new Barriers(users.length);
  const call = (user) => fn(user, (name) => barriers.arrive(name, user));
  return all(key, users, keyOf, call, (user, failed) => barriers.leave(user, failed));
}

export function together(key, users, keyOf, fn) {
  if (!Array.isArray(users)) throw new TypeError("together(users, fn): `users` must be a list of users");
  mustBeFunction(fn, "together(users, fn): `fn`");
  users.forEach(keyOf);
  return all(key, users, keyOf, fn);
}

/** At most `atOnce` at a time, in order. */
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
  await all(key, lanes, () => undefined, lane);
  return results;
}

const POLL = "50ms";

export async function eventually(key, sleeper, name, within, condition, options) {
  const call = "eventually(name, within, condition, options)";
  mustBeName(name, `${call}: the name`);
  mustBeFunction(condition, `${call}: \`condition\``);
  mustKnow(options, call, ["every"]);
  const limit = span(within, `${call}: \`within\``);
  const pause = options?.every ?? POLL;
  const missed = new Failure("target", "eventually", `${name}: not true within ${typeof within === "number" ? `${within}ms` : within}`);
  const started = now();
  let ok = false;
  try {
    for (;;) {
      const held = await condition();
      const took = now() - started;
      if (held && took <= limit) {
        ok = true;
        return;
      }
      if (took >= limit) throw missed;
      const left = (limit - took) / 1e6;
      await think(sleeper, Math.min(span(pause, `${call}: \`every\``) / 1e6, left), undefined);
    }
  } finally {
    measured(key, name, now() - started, ok);
  }
}
