// One group of interacting users. Methods are made when they are looked at, so that they can be taken
// out of the group by destructuring and cost nothing when they are not used. A group is made for every
// iteration: it holds nothing but its key, and what it is comes from native code when it is asked for.
import { channel, check, firstOf, groupName, groupNumber, holds, membersOf, random, setupOf, think } from "headcount/native";
import { mustKnow, pick } from "headcount/check";
import { shown } from "headcount/inspect";
import { Channel } from "headcount/socket";
import { storyOf } from "headcount/story";
import { everyone, eventually, step, together } from "headcount/together";
import { User } from "headcount/user";

const keyOf = User.key;

export class Group {
  #key;
  #users = undefined;

  constructor(key) { this.#key = key; }

  get id() { return groupName(this.#key); }
  get number() { return groupNumber(this.#key, 0); }
  get iteration() { return groupNumber(this.#key, 1); }
  get level() {
    const key = this.#key;
    return (storyOf(key).level ??= { index: groupNumber(key, 2), users: groupNumber(key, 3), groups: groupNumber(key, 4) });
  }
  get users() {
    if (this.#users === undefined) {
      const users = membersOf(this.#key);
      for (let at = 0; at < users.length; at += 1) users[at] = new User(users[at], this.#key);
      this.#users = users;
    }
    return this.#users;
  }
  get active() { return holds(); }
  get setup() { return (storyOf(this.#key).setup ??= setupOf(this.#key)); }

  get everyone() { return (fn) => everyone(this.#key, this.users, keyOf, fn); }
  get together() { return (users, fn) => together(this.#key, users, keyOf, fn); }
  get step() { return (name, fn) => step(this.#key, undefined, name, fn); }
  get check() { return (name, ok) => check(this.#key, name, !!ok); }
  get think() { return (time, upTo) => think(firstOf(this.#key), time, upTo); }
  get random() { return (of) => pick(random(firstOf(this.#key)), of); }
  get eventually() {
    return (name, within, condition, options) => eventually(this.#key, firstOf(this.#key), name, within, condition, options);
  }
  get channel() {
    return (name, options) => {
      mustKnow(options ?? {}, "channel(name, options)", ["to", "deadline"]);
      const to = Array.isArray(options?.to) ? options.to.map(keyOf) : options?.to;
      return new Channel(channel(this.#key, name, to, options?.deadline), name);
    };
  }

  [shown]() {
    const { id, number, iteration, level, users } = this;
    return { id, number, iteration, level, users };
  }

  /** The members from one place to another; not for scenarios. */
  static part(group, first, count) {
    const parts = (storyOf(group.#key).parts ??= new Map());
    let part = parts.get(first);
    if (part === undefined) parts.set(first, (part = group.users.slice(first, first + count)));
    return part;
  }
}

/** The kind of group that has `buyer: User`, `sellers: User[]`: made once, not for every group. */
export function groupWith(roles) {
  class Roles extends Group {}
  Object.defineProperty(Roles, "name", { value: "Group" });
  let next = 0;
  for (let at = 0; at < roles.length; at += 2) {
    const [name, count] = [roles[at], roles[at + 1]];
    if (name in Roles.prototype) throw new TypeError(`a role cannot be named \`${name}\`: the group has that already`);
    const first = next;
    next += count;
    const get = count === 1
      ? function () { return this.users[first]; }
      : function () { return Group.part(this, first, count); };
    Object.defineProperty(Roles.prototype, name, { get });
  }
  return Roles;
}
