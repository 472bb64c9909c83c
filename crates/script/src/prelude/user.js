// A simulated user.
import {
  checkUser, cookie, dataOf, every, get, head, header, userState, http, patch, post, put, random, receivesInResponses, remove,
  rowAt, stay, stopReceivingInResponses, stopTicker, tag, think, userGroup, userIndex, userKey, userKind, userMethods, userName, userNumber, userRole,
} from "headcount/native";
import { mustBeName, pick } from "headcount/check";
import { shown } from "headcount/inspect";
import { Channel } from "headcount/socket";
import { storyOf } from "headcount/story";
import { step } from "headcount/together";

class Ticker {
  #id;
  constructor(id) { this.#id = id; }
  stop() { stopTicker(this.#id); }
}

/** A table of test data. */
export class Table {
  #id;
  #path;
  #take;
  constructor(path, [id, length, take]) {
    this.#path = path;
    this.#id = id;
    this.#take = take;
    Object.defineProperty(this, "length", { value: length, enumerable: true });
  }
  at(index) { return rowAt(this.#id, index < 0 ? this.length + index : index); }

  /** Throws unless `table` is a table. */
  static mustBe(table) {
    if (typeof table !== "object" || table === null || !(#take in table)) throw new TypeError("user.row(table): the table must come from csv() or json()");
  }

  /** Returns the index of this user's row. */
  static indexFor(table, user, share) {
    const { length } = table;
    if (length === 0) throw new Error(`${table.#path} has no rows`);
    if (table.#take === "random") return Math.floor(share() * length);
    if (table.#take === "unique" && user.number >= length) {
      throw new Error(`${table.#path} has only ${length} rows, but user ${user.number + 1} needs a unique row`);
    }
    return user.number % length;
  }
}

/** Returns the value of `make`, computed once for this user. */
function kept(group, key, name, make) {
  const story = storyOf(group);
  story.kept ??= new Map();
  let mine = story.kept.get(key);
  if (mine === undefined) story.kept.set(key, (mine = new Map()));
  if (!mine.has(name)) mine.set(name, make());
  return mine.get(name);
}

/** Properties and methods of users. Native code creates the objects; the constructor is never called. */
class User {
  get role() { return userRole.call(this) ?? undefined; }
  get data() { return kept(userGroup(this), userKey(this), "data", () => dataOf.call(this)); }

  request(method, url, options) {
    mustBeName(method, "user.request(method, url): the method");
    return http.call(this, method.toUpperCase(), url, options);
  }
  every(period, fn, options) { return new Ticker(every.call(this, period, fn, options)); }
  step(name, fn) { return step(userGroup(this, "step"), userKey(this), name, fn); }
  random(of) { return of === undefined ? random.call(this) : pick(random.call(this), of); }
  state(name, text) {
    mustBeName(name, "user.state(name, text): the name");
    userState.call(this, name, text);
  }
  receives(channel, options) {
    const receiving = receivesInResponses(this, Channel.id(channel), options);
    const key = userKey(this);
    return () => stopReceivingInResponses(key, receiving);
  }
  holds() { throw new TypeError("user.holds is now called user.state(name, text)"); }

  toJSON() {
    const { name, index, number, role } = this;
    return { name, index, number, role };
  }
  [shown]() { return this.toJSON(); }

  row(table) {
    const group = userGroup(this, "row");
    Table.mustBe(table);
    return kept(group, userKey(this), table, () => table.at(Table.indexFor(table, this, () => random.call(this))));
  }
}

// These are the native calls themselves, without a JavaScript function in between.
const methods = { get, head, post, put, patch, delete: remove, ...userMethods, header, tag, cookie, stay, think, check: checkUser };
const facts = { name: userName, index: userIndex, number: userNumber };
for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(User.prototype, name, { value, writable: true, configurable: true });
}
for (const [name, get] of Object.entries(facts)) Object.defineProperty(User.prototype, name, { get, configurable: true });
userKind(User.prototype);
