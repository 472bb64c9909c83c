// One group of interacting users. Methods are made when they are looked at, so that they can be taken
// out of the group by destructuring and cost nothing when they are not used.
import { channel, check, holds, random, setupOf, think } from "headcount/native";
import { mustKnow, pick } from "headcount/check";
import { Channel } from "headcount/socket";
import { everyone, eventually, step, together } from "headcount/together";
import { User } from "headcount/user";

const keyOf = User.key;

export class Group {
  #story;

  // Indices and not a pattern: this runs once for every iteration, and a pattern goes through iterators.
  constructor(story, name, numbers, members) {
    this.#story = story;
    this.id = name;
    this.number = numbers[0];
    this.iteration = numbers[1];
    this.level = { index: numbers[2], users: numbers[3], groups: numbers[4] };
    this.users = members;
  }

  get active() { return holds(); }
  get setup() { return (this.#story.setup ??= setupOf(this.#story.key)); }

  get everyone() { return (fn) => everyone(this.#story, this.users, keyOf, fn); }
  get together() { return (users, fn) => together(this.#story, users, keyOf, fn); }
  get step() { return (name, fn) => step(this.#story, undefined, name, fn); }
  get check() { return (name, ok) => check(this.#story.key, name, !!ok); }
  get think() { return (time, upTo) => think(this.#first(), time, upTo); }
  get random() { return (of) => pick(random(this.#first()), of); }
  get eventually() {
    return (name, within, condition, options) => eventually(this.#story, this.#first(), name, within, condition, options);
  }
  get channel() {
    return (name, options) => {
      mustKnow(options ?? {}, "channel(name, options)", ["to", "deadline"]);
      const to = Array.isArray(options?.to) ? options.to.map(keyOf) : options?.to;
      return new Channel(channel(this.#story.key, name, to, options?.deadline), name);
    };
  }

  #first() { return this.#story.first; }
}

/** Users from the flat list that native code hands over. */
export function usersOf(story, flat) {
  const users = [];
  for (let at = 0; at < flat.length; at += 5) {
    users.push(new User(flat[at], story, flat[at + 1], flat[at + 2], flat[at + 3], flat[at + 4] ?? undefined));
  }
  return users;
}

/** `buyer: User`, `sellers: User[]`. */
export function addRoles(group, users, flat) {
  let next = 0;
  for (let at = 0; at < flat.length; at += 2) {
    const [name, count] = [flat[at], flat[at + 1]];
    if (name in group) throw new TypeError(`a role cannot be named \`${name}\`: the group has that already`);
    const members = users.slice(next, next + count);
    next += count;
    Object.defineProperty(group, name, { value: count === 1 ? members[0] : members, enumerable: true });
  }
}
