// The charts of the live page: the seconds so far, and the charts of the report for the levels that are over.

import type { Chart } from "../chart.ts";
import type { PageData } from "../data.ts";
import { hasTime, timeline } from "../marks/timeline.ts";
import { card, type Card } from "../page/card.ts";
import { chartsOf, roomOf } from "../page/charts.ts";
import { Selected } from "../page/selection.ts";
import type { LiveRun } from "./run.ts";

/** Returns a chart of the seconds so far. It is made again after each update, when it is drawn. */
function growing(data: PageData): { chart: Chart; update(): void } {
  let now = timeline(data);
  const chart: Chart = {
    ...now,
    draw: (size, view) => now.draw(size, view),
    read: (level, second) => now.read(level, second),
    figures: () => now.figures(),
    span: (level) => now.span?.(level) ?? [0, 1],
  };
  return { chart, update: () => (now = timeline(data)) };
}

export class Charts {
  readonly #place: HTMLElement;
  readonly #run: LiveRun;
  readonly #time: ReturnType<typeof growing>;
  #selected = new Selected();
  #cards: Card[] = [];

  constructor(place: HTMLElement, run: LiveRun) {
    this.#place = place;
    this.#run = run;
    this.#time = growing(run.data);
  }

  /** Draws the seconds so far. `ended` tells that a level has ended, whose charts are new. */
  draw(ended: boolean): void {
    const { data } = this.#run;
    if (!hasTime(data)) return;
    this.#time.update();
    if (ended || this.#cards.length === 0) this.#build();
    else this.#cards[0]?.draw();
  }

  drawAll(): void {
    this.#cards.forEach((each) => each.draw());
  }

  #build(): void {
    const { data, finished } = this.#run;
    const focused = document.activeElement?.closest(".card")?.id;
    this.#selected = new Selected(this.#selected.now);
    const over: PageData = { ...data, levels: data.levels.slice(0, finished) };
    const charts = [this.#time.chart, ...chartsOf(over, null)];
    this.#cards = charts.map((chart, index) => {
      const made: Card = card(chart, () => (index === 0 ? data.levels.length : finished), this.#selected, roomOf(() => made.box, false));
      return made;
    });
    this.#place.replaceChildren(...this.#cards.map(({ box }) => box));
    this.drawAll();
    if (focused !== undefined) this.#place.querySelector<HTMLElement>(`#${CSS.escape(focused)} .plot`)?.focus();
  }
}
