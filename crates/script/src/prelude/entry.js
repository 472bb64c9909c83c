// Where native code enters: one call starts a story, its end is reported by another.
import "headcount";
import "headcount/globals";
import { check, done, failed, firstOf, newUser, poolUser, returned, setupOf } from "headcount/native";
import { mustBeFunction, mustKnow } from "headcount/check";
import { blame, inTurn } from "headcount/together";
import { User } from "headcount/user";

export { failure, rejection } from "headcount/check";
export { Group, groupWith } from "headcount/group";
export { describe, plain } from "headcount/inspect";
export { makeSocket } from "headcount/socket";

/**
 * One iteration of a group. `story` is what its objects share: `key`, and what is added when it is needed
 * (`blame`, `kept`, `level`, `setup`).
 */
export function run(key, main, Kind) {
  const story = { key };
  let ended;
  try {
    ended = main(new Kind(story));
  } catch (error) {
    report(story, error);
    return;
  }
  // No `async` here: a suspended frame for every group would cost a kilobyte.
  Promise.resolve(ended).then(() => done(key), (error) => report(story, error));
}

function report(story, error) {
  const known = story.blame !== undefined && story.blame.error === error ? story.blame : undefined;
  failed(story.key, error, known?.user, known?.step);
}

const AT_ONCE = 32;

function pool(story, count, fn, options) {
  const call = "pool(count, fn, options)";
  if (!Number.isInteger(count) || count < 0) throw new TypeError(`${call}: \`count\` must be a whole number`);
  mustBeFunction(fn, `${call}: \`fn\``);
  mustKnow(options, call, ["atOnce"]);
  const atOnce = options?.atOnce ?? AT_ONCE;
  if (!Number.isInteger(atOnce) || atOnce < 1) throw new TypeError(`${call}: \`atOnce\` must be a whole number above 0`);
  return inTurn(story, count, atOnce, async (index) => {
    const key = newUser(story.key, index);
    const user = new User(key, story);
    try {
      const made = await fn(user, index);
      poolUser(key, made);
      return made;
    } catch (error) {
      blame(story, error, key, undefined);
      throw error;
    }
  });
}

/** Before the clock starts. */
export async function runSetup(key, setup) {
  const story = { key };
  try {
    const user = new User(firstOf(key), story);
    const value = await setup({
      user,
      pool: (count, fn, options) => pool(story, count, fn, options),
      check: (name, ok) => check(key, name, !!ok),
    });
    returned(key, value);
  } catch (error) {
    report(story, error);
  }
}

/** When everything is over. */
export async function runTeardown(key, teardown) {
  const story = { key };
  try {
    const user = new User(firstOf(key), story);
    await teardown({
      user,
      setup: setupOf(key),
      check: (name, ok) => check(key, name, !!ok),
    });
  } catch (error) {
    report(story, error);
    return;
  }
  done(key);
}
