// The globals `URL` and `URLSearchParams` of the web. Native code parses, by the WHATWG URL standard.
import { formParse, formWrite, urlParse, urlSet } from "headcount/native";
import { shown } from "headcount/inspect";

/** Converts to a string without unpaired surrogates, as the standard requires. */
const text = (value) => `${value}`.toWellFormed();

/** Pairs of names and values in one list: [name, value, name, value, …]. */
function pairsOf(init) {
  if (init === undefined || init === null) return [];
  if (typeof init !== "object" && typeof init !== "function") return formParse(text(init).replace(/^\?/, ""));
  const list = [];
  if (init[Symbol.iterator] === undefined) {
    for (const name of Object.keys(init)) list.push(text(name), text(init[name]));
    return list;
  }
  for (const pair of init) {
    const both = [...pair];
    if (both.length !== 2) throw new TypeError("new URLSearchParams(list): each item must be a pair of a name and a value");
    list.push(text(both[0]), text(both[1]));
  }
  return list;
}

/** Sets the pairs of a query without reporting the change; for `URL`. */
let fill;
/** Calls `changed` with the new query after each change; for `URL`. */
let watch;

class URLSearchParams {
  #list;
  #changed;

  static {
    fill = (params, list) => { params.#list = list; };
    watch = (params, changed) => { params.#changed = changed; };
  }

  constructor(init = "") { this.#list = pairsOf(init); }

  get size() { return this.#list.length / 2; }

  append(name, value) {
    this.#list.push(text(name), text(value));
    this.#report();
  }

  delete(name, value) {
    this.#keep(text(name), value === undefined ? undefined : text(value), () => false);
    this.#report();
  }

  get(name) {
    const at = this.#find(text(name));
    return at < 0 ? null : this.#list[at + 1];
  }

  getAll(name) {
    const wanted = text(name);
    return this.#list.filter((_, at) => at % 2 === 1 && this.#list[at - 1] === wanted);
  }

  has(name, value) {
    const wanted = text(name);
    if (value === undefined) return this.#find(wanted) >= 0;
    return this.getAll(wanted).includes(text(value));
  }

  set(name, value) {
    const [wanted, replacement] = [text(name), text(value)];
    const first = this.#find(wanted);
    if (first < 0) {
      this.#list.push(wanted, replacement);
    } else {
      this.#keep(wanted, undefined, (at) => at === first);
      this.#list[first + 1] = replacement;
    }
    this.#report();
  }

  /** Sorts by name, in the order of code units. Pairs with the same name keep their order. */
  sort() {
    const pairs = [...this];
    pairs.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    this.#list = pairs.flat();
    this.#report();
  }

  forEach(fn, self) {
    for (const [name, value] of this) fn.call(self, value, name, this);
  }

  // A loop sees changes that it makes, so the iterators read the list step by step.
  * entries() { for (let at = 0; at < this.#list.length; at += 2) yield [this.#list[at], this.#list[at + 1]]; }
  * keys() { for (let at = 0; at < this.#list.length; at += 2) yield this.#list[at]; }
  * values() { for (let at = 1; at < this.#list.length; at += 2) yield this.#list[at]; }

  toString() { return formWrite(this.#list); }
  [shown]() { return Object.fromEntries(this); }

  /** Returns the index of the first pair with this name, or -1. */
  #find(name) {
    for (let at = 0; at < this.#list.length; at += 2) if (this.#list[at] === name) return at;
    return -1;
  }

  /** Removes the pairs with this name, and this value if there is one, except those at which `spared` returns true. */
  #keep(name, value, spared) {
    const kept = [];
    for (let at = 0; at < this.#list.length; at += 2) {
      const matches = this.#list[at] === name && (value === undefined || this.#list[at + 1] === value);
      if (!matches || spared(at)) kept.push(this.#list[at], this.#list[at + 1]);
    }
    this.#list = kept;
  }

  #report() { this.#changed?.(formWrite(this.#list)); }
}
URLSearchParams.prototype[Symbol.iterator] = URLSearchParams.prototype.entries;

const parse = (url, base) => urlParse(text(url), base === undefined ? undefined : text(base));

/** Parts of a URL, in the order of native code, after its text and origin. */
const PARTS = ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

class URL {
  #parts;
  #params;

  constructor(url, base) {
    const parts = parse(url, base);
    if (typeof parts === "string") throw new TypeError(`Invalid URL ${JSON.stringify(text(url))}: ${parts}`);
    this.#parts = parts;
  }

  static canParse(url, base) { return typeof parse(url, base) !== "string"; }
  static parse(url, base) { return URL.canParse(url, base) ? new URL(url, base) : null; }

  get href() { return this.#parts[0]; }
  set href(value) {
    this.#parts = new URL(value).#parts;
    this.#refill();
  }
  get origin() { return this.#parts[1]; }

  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams(this.search);
      watch(this.#params, (query) => { this.#parts = urlSet(this.href, "search", query); });
    }
    return this.#params;
  }

  toString() { return this.href; }
  toJSON() { return this.href; }
  [shown]() { return { href: this.href }; }

  #refill() {
    if (this.#params !== undefined) fill(this.#params, formParse(this.search.slice(1)));
  }

  static {
    PARTS.forEach((name, index) => {
      const at = index + 2;
      Object.defineProperty(URL.prototype, name, {
        get() { return this.#parts[at]; },
        set(value) {
          this.#parts = urlSet(this.href, name, text(value));
          if (name === "search") this.#refill();
        },
        enumerable: true,
        configurable: true,
      });
    });
  }
}

for (const made of [URL, URLSearchParams]) {
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: made.name, configurable: true });
}

export { URL, URLSearchParams };
