// The latest figures, in one row.

import { count, millis, significant } from "../format.ts";
import { element } from "../page/dom.ts";
import type { LiveRun } from "./run.ts";

interface Tile {
  title: string;
  value: string;
  detail: string;
}

/** Returns the figures of the latest second. A figure that was not measured is `n/a`. */
function tilesOf({ state: { live, latest }, data }: LiveRun): Tile[] {
  const deliveries = latest?.deliveries ?? 0;
  const rate = deliveries > 0 ? deliveries : (latest?.operations ?? null);
  const busy = live?.busy_percent ?? null;
  const planned = live?.rate ?? null;
  const [lost, cpu] = [live?.lost ?? null, latest?.target_cpu_percent ?? null];
  const figure = (value: number | null): string => (value === null ? "n/a" : significant(value));
  return [
    planned === null
      ? { title: "Users", value: live ? count(live.users) : "n/a", detail: "of this level" }
      : { title: "Planned rate", value: (live && data.levels[live.level - 1]?.label) ?? planned, detail: live ? `at most ${count(live.users)} users` : "" },
    { title: deliveries > 0 ? "Deliveries" : "Requests and round trips", value: rate === null ? "n/a" : `${figure(rate)}/s`, detail: "latest second" },
    { title: "p95", value: millis(latest?.p95_ms ?? null), detail: deliveries > 0 ? "delivery latency, latest second" : "response time, latest second" },
    { title: "Failed", value: count(live?.failed ?? 0), detail: "so far in this level" },
    ...(lost === null ? [] : [{ title: "Lost deliveries", value: count(lost), detail: "found so far in this level" }]),
    ...(cpu === null ? [] : [{ title: "Target CPU", value: `${figure(cpu)} %`, detail: "of one core, latest second" }]),
    { title: "Generator’s busiest worker", value: busy === null ? "n/a" : `${figure(busy)} %`, detail: "a level is invalid above 95 %" },
  ];
}

export class Tiles {
  readonly #box: HTMLElement;
  #values: { title: HTMLElement; value: HTMLElement; detail: HTMLElement }[] = [];

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  /** Shows the figures. Only texts that differ are changed. */
  draw(run: LiveRun): void {
    const tiles = tilesOf(run);
    if (this.#values.length !== tiles.length) {
      this.#values = tiles.map(() => ({ title: element("h2"), value: element("strong"), detail: element("p") }));
      this.#box.replaceChildren(...this.#values.map(({ title, value, detail }) => element("div", { class: "fact" }, title, value, detail)));
    }
    tiles.forEach((tile, index) => {
      const shown = this.#values[index];
      for (const name of ["title", "value", "detail"] as const) {
        if (shown && shown[name].textContent !== tile[name]) shown[name].textContent = tile[name];
      }
    });
  }
}
