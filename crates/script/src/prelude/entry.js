// Entry points for native code: one call starts an iteration, another reports its end.
import "headcount";
import "headcount/globals";
import {
  check, failed, firstOf, makeUser, newUser, poolBegin, poolEnd, poolFailed, poolUser, returned, setupOf,
} from "headcount/native";
import { mustBeFunction, mustKnow } from "headcount/check";
import { blamed } from "headcount/story";
import { blame, inTurn } from "headcount/together";
import "headcount/user";

export { explained } from "headcount/absent";
export { failure, rejection } from "headcount/check";
export { groupKind, groupWith } from "headcount/group";
export { describe, plain } from "headcount/inspect";
export * from "headcount/protocols";
export { makeSocket } from "headcount/socket";
export { forget } from "headcount/story";
export { unblock } from "headcount/together";

export function report(key, error) {
  const known = blamed(key, error);
  failed(key, error, known?.user, known?.step);
}

/** Converts a thenable to a promise. */
export const adopt = (thenable) => Promise.resolve(thenable);

const AT_ONCE = 32;

function pool(group, count, fn, options) {
  const call = "pool(count, fn, options)";
  if (!Number.isInteger(count) || count < 0) throw new TypeError(`${call}: \`count\` must be a whole number`);
  mustBeFunction(fn, `${call}: \`fn\``);
  mustKnow(options, call, ["atOnce"]);
  const atOnce = options?.atOnce ?? AT_ONCE;
  if (!Number.isInteger(atOnce) || atOnce < 1) throw new TypeError(`${call}: \`atOnce\` must be a whole number above 0`);
  const begun = poolBegin(count, Math.min(atOnce, count));
  const made = inTurn(group, count, atOnce, async (index) => {
    const key = newUser(group, index, begun);
    const user = makeUser(key, group);
    try {
      const made = await fn(user, index);
      poolUser(user, made);
      return made;
    } catch (error) {
      poolFailed(user, error);
      blame(group, error, key, undefined);
      throw error;
    }
  });
  return made.finally(() => poolEnd(begun));
}

/** Runs `setup`, before the clock starts. */
export async function runSetup(key, setup) {
  let open = 0;
  const counted = (made) => {
    open += 1;
    return made.finally(() => { open -= 1; });
  };
  try {
    const user = makeUser(firstOf(key), key);
    const value = await setup({
      user,
      pool: (count, fn, options) => counted(pool(key, count, fn, options)),
      check: (name, ok) => check(key, name, !!ok),
    });
    // Otherwise the levels would begin with only those users that happen to be ready.
    if (open > 0) throw new Error("`setup` ended before its pool was full: write `await pool(…)`");
    returned(key, value);
  } catch (error) {
    report(key, error);
  }
}

/** Runs `teardown`, after the last level. */
export async function runTeardown(key, teardown) {
  try {
    const user = makeUser(firstOf(key), key);
    await teardown({
      user,
      setup: setupOf(key),
      check: (name, ok) => check(key, name, !!ok),
    });
  } catch (error) {
    report(key, error);
    return;
  }
  returned(key, undefined);
}
