/** A value with watchers. Each is called at once, and again whenever the value changes. */
export class Signal<T> {
  #value: T;
  readonly #watchers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of this.#watchers) watcher(value);
  }

  watch(watcher: (value: T) => void): () => void {
    this.#watchers.add(watcher);
    watcher(this.#value);
    return () => this.#watchers.delete(watcher);
  }
}
