// What the run does: the heading of the page, and after the run its verdict.

import { count } from "../format.ts";
import { element, show, showReport } from "../page/dom.ts";
import { circle, join, type Svg } from "../svg.ts";
import type { End, Live } from "./update.ts";
import type { LiveRun } from "./run.ts";

/** Formats seconds: `0:45`, `12:30`, `2:05:00`. */
function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

const PHASES: Readonly<Record<string, string>> = { "ramp-up": "Ramp-up", "warm-up": "Warm-up", measuring: "Measuring", settling: "Settling" };

/** Says what the level does, and how long it will. */
function detail(live: Live): string {
  if (live.in_flight) {
    const [number, up_to_s] = live.in_flight;
    return `Waiting for ${count(number)} ${number === 1 ? "request" : "requests"} in flight, up to ${count(Math.ceil(up_to_s))} s.`;
  }
  const phase = PHASES[live.phase] ?? live.phase;
  const left = live.total_s === null ? 0 : live.total_s - live.elapsed_s;
  return left > 0 ? `${phase}. ${clock(left)} left in this level.` : `${phase}.`;
}

function heading({ state: { stage, live, stopping }, data, finished }: LiveRun): [title: string, detail: string] {
  const ending = stopping ? "Ending the run: waiting for requests in flight. " : "";
  const level = live ? `Level ${live.level} of ${live.levels}: ${data.levels[live.level - 1]?.label ?? live.rate ?? `${count(live.users)} users`}` : `Level ${finished + 1}`;
  switch (stage) {
    case "starting":
      return ["Starting", ending];
    case "setting_up":
      return ["Setting up", `${ending}The scenario’s setup runs.`];
    case "level":
      return [level, ending + (live ? detail(live) : "The first users start.")];
    case "after_level":
      return [`${level}: over`, `${ending}${live && live.level < live.levels && !stopping ? "The next level follows." : "The results are being put together."}`];
    case "ended":
      return ["The run has ended", ""];
  }
}

const SIGN: Svg = join([circle(20, 20, 16, { class: "ring" }), circle(20, 20, 7, { class: "dot" })]);

export class StateView {
  readonly #box: HTMLElement;
  readonly #title = element("h1");
  readonly #detail = element("p", { id: "state-detail" });
  #section: HTMLElement | null = null;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  draw(run: LiveRun): void {
    if (run.state.stage === "ended" && this.#section === null && this.#box.firstChild) return; // the verdict stands there
    this.#section ??= this.#build();
    const [title, detail] = heading(run);
    if (this.#title.textContent !== title) this.#title.textContent = title;
    this.#detail.textContent = detail;
    document.title = `${title} · headcount`;
  }

  /** Shows the verdict. */
  end(end: End): void {
    this.#section = null;
    showReport(this.#box, end.verdict);
    const said = this.#box.querySelector("section > div");
    const saved = end.report === null ? (end.last ? "" : "The report is being saved.") : `The report is saved: ${end.report}`;
    const lines = [end.error === null ? "" : `Error: ${end.error}`, `The run has ended. ${saved}`];
    for (const text of lines) if (text !== "") said?.append(element("p", {}, text.trim()));
    document.title = `${this.#box.querySelector("h1")?.textContent ?? "The run has ended"} · headcount`;
  }

  #build(): HTMLElement {
    const glyph = element("div", { class: "glyph-box", "aria-hidden": "true" });
    show(glyph, `<svg class="glyph live" viewBox="0 0 40 40">${SIGN}</svg>` as Svg);
    // A new level is announced to readers of the screen. The seconds are not.
    this.#title.setAttribute("aria-live", "polite");
    const section = element("section", { class: "verdict running", "aria-label": "State of the run" }, glyph, element("div", {}, this.#title, this.#detail));
    this.#box.replaceChildren(section);
    return section;
  }
}
