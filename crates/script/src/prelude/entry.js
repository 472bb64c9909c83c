// Where native code enters: one call starts a story, its end is reported by another.
import "headcount";
import "headcount/globals";
import { check, done, failed, newUser, poolUser, returned, setupOf } from "headcount/native";
import { mustBeFunction, mustKnow } from "headcount/check";
import { Group, addRoles, usersOf } from "headcount/group";
import { blame, inTurn } from "headcount/together";
import { User } from "headcount/user";

export { failure, rejection } from "headcount/check";
export { describe, plain } from "headcount/inspect";
export { makeSocket } from "headcount/socket";

/** What the objects of one story share. */
const storyOf = (key, flat) => ({ key, first: flat[0], blame: undefined, kept: undefined, setup: undefined });

function report(story, error) {
  const known = story.blame !== undefined && story.blame.error === error ? story.blame : undefined;
  failed(story.key, error, known?.user, known?.step);
}

/** One iteration of a group. */
export function run(key, main, name, numbers, roles, flat) {
  const story = storyOf(key, flat);
  const fail = (error) => report(story, error);
  let ended;
  try {
    const users = usersOf(story, flat);
    const group = new Group(story, name, numbers, users);
    if (roles !== undefined && roles !== null) addRoles(group, users, roles);
    ended = main(group);
  } catch (error) {
    fail(error);
    return;
  }
  // No `async` here: a suspended frame for every group would cost a kilobyte.
  Promise.resolve(ended).then(() => done(key), fail);
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
    const key = newUser(story.key);
    const user = new User(key, story, `p${index}`, index, index, undefined);
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
export async function runSetup(key, setup, flat) {
  const story = storyOf(key, flat);
  try {
    const [user] = usersOf(story, flat);
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
export async function runTeardown(key, teardown, flat) {
  const story = storyOf(key, flat);
  try {
    const [user] = usersOf(story, flat);
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
