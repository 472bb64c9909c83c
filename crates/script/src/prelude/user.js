// One simulated person.
import {
  checkUser, cookie, dataOf, every, header, holdsText, http, random, rowAt, stay, stopTicker, think, userName, userNumber, userRole,
  socketio, websocket,
} from "headcount/native";
import { mustBeName, pick } from "headcount/check";
import { shown } from "headcount/inspect";
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

  /** Which row is this user's. */
  static indexFor(table, user, share) {
    if (typeof table !== "object" || table === null || !(#take in table)) throw new TypeError("user.row(table): the table must come from csv() or json()");
    const { length } = table;
    if (length === 0) throw new Error(`${table.#path} has no rows`);
    if (table.#take === "random") return Math.floor(share() * length);
    if (table.#take === "unique" && user.number >= length) {
      throw new Error(`${table.#path} has ${length} rows, user ${user.number + 1} needs one of their own`);
    }
    return user.number % length;
  }
}

/** What `make` gives, worked out once for this user. */
function kept(group, key, name, make) {
  const story = storyOf(group);
  story.kept ??= new Map();
  let mine = story.kept.get(key);
  if (mine === undefined) story.kept.set(key, (mine = new Map()));
  if (!mine.has(name)) mine.set(name, make());
  return mine.get(name);
}

export class User {
  // Few fields: a user is made for every iteration. What is rarely asked for comes from native code, or is kept
  // in the story.
  #key;
  #group;

  constructor(key, group) {
    this.#key = key;
    this.#group = group;
  }

  get name() { return userName(this.#key); }
  get index() { return userNumber(this.#key, 0); }
  get number() { return userNumber(this.#key, 1); }
  get role() { return userRole(this.#key) ?? undefined; }

  /** The native key of a user; not for scenarios. */
  static key(user) {
    if (typeof user !== "object" || user === null || !(#key in user)) throw new TypeError("a user is expected here");
    return user.#key;
  }

  get data() { return kept(this.#group, this.#key, "data", () => dataOf(this.#key)); }

  // The numbers are the places of the methods in native code.
  get(url, options) { return http(this.#key, 0, url, options); }
  head(url, options) { return http(this.#key, 1, url, options); }
  post(url, options) { return http(this.#key, 2, url, options); }
  put(url, options) { return http(this.#key, 3, url, options); }
  patch(url, options) { return http(this.#key, 4, url, options); }
  delete(url, options) { return http(this.#key, 5, url, options); }
  request(method, url, options) {
    mustBeName(method, "user.request(method, url): the method");
    return http(this.#key, method.toUpperCase(), url, options);
  }
  websocket(url, options) { return websocket(this.#key, url, options); }
  socketio(url, options) { return socketio(this.#key, url, options); }
  header(name, value) { header(this.#key, name, value); }
  cookie(name) { return cookie(this.#key, name); }

  every(period, fn, options) { return new Ticker(every(this.#key, period, fn, options)); }
  stay() { return stay(this.#key); }
  holds(name, text) {
    mustBeName(name, "user.holds(name, text): the name");
    holdsText(this.#key, name, text);
  }
  think(time, upTo) { return think(this.#key, time, upTo); }
  step(name, fn) { return step(this.#group, this.#key, name, fn); }
  check(name, ok) { return checkUser(this.#key, name, !!ok); }
  random(of) { return of === undefined ? random(this.#key) : pick(random(this.#key), of); }

  [shown]() {
    const { name, index, number, role } = this;
    return { name, index, number, role };
  }

  row(table) {
    return kept(this.#group, this.#key, table, () => table.at(Table.indexFor(table, this, () => random(this.#key))));
  }
}
