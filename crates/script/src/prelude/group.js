// One group of interacting users. Methods are created on first access, so that they can be destructured from the group
// and cost nothing when unused. Native code creates a group for every iteration. The group holds its key and, after the
// first access, its users.
import { channel, channelTo, check, groupKey, groupName, groupNumber, isActive, random, setupOf, think, userKey, users } from "headcount/native";
import { mustKnow, pick } from "headcount/check";
import { Audience } from "headcount/audience";
import { shown } from "headcount/inspect";
import { Channel } from "headcount/socket";
import { storyOf } from "headcount/story";
import { everyone, eventually, step, together } from "headcount/together";

class Group {
  get id() { return groupName(groupKey(this)); }
  get number() { return groupNumber(groupKey(this), 0); }
  get iteration() { return groupNumber(groupKey(this), 1); }
  get level() {
    const key = groupKey(this);
    return (storyOf(key).level ??= { index: groupNumber(key, 2), users: groupNumber(key, 3), groups: groupNumber(key, 4) });
  }
  get active() { return isActive(); }
  get setup() { return (storyOf(groupKey(this)).setup ??= setupOf(groupKey(this))); }

  get everyone() { return (fn) => everyone(groupKey(this), this.users, userKey, fn); }
  get together() { return (users, fn) => together(groupKey(this), users, userKey, fn); }
  get step() { return (name, fn) => step(groupKey(this), undefined, name, fn); }
  get check() { return (name, ok) => check(groupKey(this), name, !!ok); }
  get think() { return (time, upTo) => think.call(this.users[0], time, upTo); }
  get random() { return (of) => pick(random.call(this.users[0]), of); }
  get eventually() {
    return (name, within, condition, options) => eventually(groupKey(this), this.users[0], name, within, condition, options);
  }
  get channel() {
    return (name, options) => {
      mustKnow(options ?? {}, "channel(name, options)", ["to", "deadline"]);
      const audience = Audience.number(options?.to);
      if (audience !== undefined) {
        if (options.deadline !== undefined) throw new TypeError("channel(name, options): state the `deadline` in the audience's `receives`");
        return new Channel(channelTo(groupKey(this), name, audience), name);
      }
      return new Channel(channel(groupKey(this), name, options?.to, options?.deadline), name);
    };
  }

  toJSON() {
    const { id, number, iteration, level, users } = this;
    return { id, number, iteration, level, users };
  }
  [shown]() { return this.toJSON(); }

  /** Returns `count` members from index `first`; not for scenarios. */
  static part(group, first, count) {
    const parts = (storyOf(groupKey(group)).parts ??= new Map());
    let part = parts.get(first);
    if (part === undefined) parts.set(first, (part = group.users.slice(first, first + count)));
    return part;
  }
}

Object.defineProperty(Group.prototype, "users", { get: users, configurable: true });

/** Prototype of groups without roles. */
export const groupKind = Group.prototype;

/**
 * Creates the prototype of groups with roles such as `buyer: User`, `sellers: User[]`. It is created once, not for
 * every group.
 */
export function groupWith(roles) {
  class Roles extends Group {}
  Object.defineProperty(Roles, "name", { value: "Group" });
  let next = 0;
  for (let at = 0; at < roles.length; at += 2) {
    const [name, count] = [roles[at], roles[at + 1]];
    if (name in Roles.prototype) throw new TypeError(`a role cannot be named \`${name}\`: groups already have this property`);
    const first = next;
    next += count;
    const get = count === 1
      ? function () { return this.users[first]; }
      : function () { return Group.part(this, first, count); };
    Object.defineProperty(Roles.prototype, name, { get });
  }
  return Roles.prototype;
}
