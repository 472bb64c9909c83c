// Follows a run in progress.

import { Charts } from "./live/charts.ts";
import { EndButton } from "./live/end.ts";
import { follow } from "./live/feed.ts";
import type { Update } from "./live/update.ts";
import { LiveRun } from "./live/run.ts";
import { StateView } from "./live/state.ts";
import { Tiles } from "./live/tiles.ts";
import { element, showReport } from "./page/dom.ts";
import { enrichTables } from "./page/tables.ts";
import { themeSwitch } from "./page/theme.ts";

const LOST = "headcount does not respond. It may have ended: see its terminal. The page tries again by itself.";

function place(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Shows texts as a list below a title. */
function list(title: string, texts: readonly string[]): HTMLElement {
  return element("details", { class: "card", open: "" }, element("summary", {}, element("h2", {}, title)), element("ul", {}, ...texts.map((text) => element("li", {}, text))));
}

/** Says what a point stands for if it is more than a second. */
function aboutMerged(seconds: number): string {
  return `Each point of the charts above spans up to ${seconds} s: counts are per second on average; users, percentiles, maximum and the use of CPUs are the highest of its seconds. The report after the run has every second.`;
}

class Page {
  readonly #run = new LiveRun();
  readonly #state = new StateView(place("state"));
  readonly #tiles = new Tiles(place("tiles"));
  readonly #charts = new Charts(place("charts"), this.#run);
  readonly #end = new EndButton();
  readonly #connection = place("connection");
  /** Whether charts of a level that has ended have not been drawn, because nobody looked at the page. */
  #missed = false;

  constructor() {
    place("controls").append(this.#end.box, themeSwitch());
    document.addEventListener("visibilitychange", () => this.#draw());
    let waiting = 0;
    addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.#charts.drawAll(), 80);
    });
    this.#state.draw(this.#run);
    this.#tiles.draw(this.#run);
  }

  update(update: Update): void {
    this.#missed = this.#run.apply(update) || this.#missed;
    const { stage, stopping } = this.#run.state;
    this.#end.draw(stopping, stage === "ended");
    if (update.end) this.#state.end(update.end);
    else this.#state.draw(this.#run);
    this.#tiles.draw(this.#run);
    if (update.warnings) {
      const box = place("warnings");
      box.hidden = false;
      box.replaceChildren(list("Warnings", update.warnings));
    }
    if (update.finished) {
      const box = place("details");
      showReport(box, update.finished.tables);
      enrichTables(box);
    }
    this.#draw();
  }

  connected(is: boolean): void {
    const text = is || this.#run.state.stage === "ended" ? "" : LOST;
    if (this.#connection.textContent !== text) this.#connection.textContent = text;
  }

  /** Draws the charts, unless nobody can see them. */
  #draw(): void {
    if (document.hidden) return;
    this.#charts.draw(this.#missed);
    this.#missed = false;
    const seconds = this.#run.secondsPerPoint;
    const note = place("merged");
    note.hidden = seconds < 2;
    const text = seconds < 2 ? "" : aboutMerged(seconds);
    if (note.textContent !== text) note.textContent = text;
  }
}

void follow(new Page());
