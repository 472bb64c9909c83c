// What the reader has chosen. All charts follow it.

import type { View } from "../chart.ts";

export interface Selection extends View {
  /** The second under the pointer, since the start of the run. */
  second: number | null;
}

export type Listener = (selection: Selection, redraw: boolean) => void;

export class Selected {
  #now: Selection;
  readonly #listeners: Listener[] = [];

  constructor(now: Selection = { level: null, range: null, second: null }) {
    this.#now = now;
  }

  get now(): Selection {
    return this.#now;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Changes the choice. Charts draw themselves again if what they show depends on it. */
  choose(change: Partial<Selection>): void {
    const next = { ...this.#now, ...change };
    const redraw = next.level !== this.#now.level || next.range !== this.#now.range;
    if (!redraw && next.second === this.#now.second) return;
    this.#now = next;
    for (const listener of this.#listeners) listener(next, redraw);
  }
}
