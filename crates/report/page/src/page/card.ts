// A chart on the page: its title, legend, drawing, the line of figures below it, its table and its CSV.

import type { Chart, Drawing, Reading, Size } from "../chart.ts";
import { join, rect, tag } from "../svg.ts";
import { csv } from "./csv.ts";
import { button, element, show } from "./dom.ts";
import { followTime } from "./pointer.ts";
import type { Selected } from "./selection.ts";
import { figureTable } from "./tables.ts";

export interface Card {
  box: HTMLElement;
  draw(): void;
}

/** Creates the card of a chart. `room` returns the height for the drawing. */
export function card(chart: Chart, levels: () => number, selected: Selected, room: (width: number) => Size): Card {
  const plot = element("div", { class: "plot", tabindex: "0", role: "group", "aria-label": `${chart.title}. Arrow keys move between levels.` });
  const readout = element("div", { class: "read", "aria-live": "polite" });
  const table = element("div", { hidden: "" });
  const title = element("h2", {}, chart.title);
  const head = element("header", {}, title, element("span", { class: "sub" }, chart.about), tools(chart, table));
  const box = element("section", { class: chart.wide ? "card wide" : "card", id: chart.id, "aria-label": chart.title }, head, legend(chart), plot, readout, table);
  let drawing: Drawing | null = null;

  const draw = (): void => {
    const size = room(plot.clientWidth);
    drawing = chart.draw(size, selected.now);
    show(plot, picture(drawing, size.width));
    highlight(plot, selected.now.level);
  };
  const read = (): void => {
    const { level, second } = selected.now;
    const readings = level === null ? [] : chart.read(level, second);
    const hint = selected.now.level === null && chart.hint !== undefined ? [element("span", {}, chart.hint)] : [];
    readout.replaceChildren(...readings.map(reading), ...hint);
  };
  selected.listen((_, redraw) => {
    if (redraw) draw();
    read();
  });
  moveByKeys(plot, chart, levels, selected);
  chooseByPointer(plot, selected);
  followTime(plot, () => drawing?.time ?? null, selected);
  read();
  return { box, draw };
}

/** Returns the drawing with the places of the levels above it. */
function picture({ height, label, content, zones, time }: Drawing, width: number): ReturnType<typeof tag> {
  const chosen = zones.map((zone) => rect(zone.x, zone.y, zone.width, zone.height, { class: "sel", rx: 5, "data-level": zone.level }));
  const hits = zones.map((zone) => rect(zone.x, zone.y, zone.width, zone.height, { class: "hit", "data-level": zone.level }));
  const hair = time ? [tag("line", { class: "hair", y1: 0, y2: height - 20, visibility: "hidden" }), rect(0, 20, 0, height - 42, { class: "drag", visibility: "hidden", "fill-opacity": 0.5 })] : [];
  return tag("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label }, join(chosen), content, ...hair, join(hits));
}

function highlight(plot: Element, level: number | null): void {
  for (const zone of plot.querySelectorAll(".sel")) zone.classList.toggle("on", level !== null && zone.getAttribute("data-level") === String(level));
}

function reading({ name, value, tone }: Reading): HTMLElement {
  const shown = element("b", tone ? { class: tone } : {}, value);
  return name === "" ? element("span", {}, shown) : element("span", {}, `${name} `, shown);
}

function legend(chart: Chart): HTMLElement {
  const box = element("div", { class: "legend" });
  for (const { sign, text } of chart.legend) {
    const key = element("span");
    show(key, sign);
    key.append(text);
    box.append(key);
  }
  return box;
}

function tools(chart: Chart, table: HTMLElement): HTMLElement {
  const toggle = button("Table", () => {
    table.hidden = !table.hidden;
    if (!table.hidden) table.replaceChildren(figureTable(chart.figures(), chart.title));
    toggle.setAttribute("aria-expanded", String(!table.hidden));
  });
  toggle.setAttribute("aria-expanded", "false");
  const copy = button("Copy CSV", () => {
    const said = (text: string): void => {
      copy.textContent = text;
      setTimeout(() => (copy.textContent = "Copy CSV"), 1500);
    };
    copied(csv(chart.figures())).then((done) => said(done ? "Copied" : "Not allowed here"), () => said("Not allowed here"));
  });
  for (const each of [toggle, copy]) each.setAttribute("aria-label", `${each.textContent}: ${chart.title}`);
  return element("div", { class: "tools" }, toggle, copy);
}

/** Copies a text. A page that was opened from a file may have no clipboard. */
async function copied(text: string): Promise<boolean> {
  if (typeof navigator.clipboard === "undefined") return false;
  await navigator.clipboard.writeText(text);
  return true;
}

function moveByKeys(plot: HTMLElement, chart: Chart, levels: () => number, selected: Selected): void {
  plot.addEventListener("keydown", (event) => {
    const { level } = selected.now;
    if (event.key === "Enter" && level !== null && chart.span) selected.choose({ range: chart.span(level) });
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") selected.choose({ level: null, range: null, second: null });
    const count = levels();
    if (step === undefined || count === 0) return;
    event.preventDefault();
    const from = level ?? (step > 0 ? -1 : count);
    selected.choose({ level: Math.max(0, Math.min(count - 1, from + step)), second: null });
  });
}

function chooseByPointer(plot: HTMLElement, selected: Selected): void {
  const choose = (event: Event): void => {
    const level = event.target instanceof Element ? event.target.getAttribute("data-level") : null;
    if (level !== null && Number(level) !== selected.now.level) selected.choose({ level: Number(level), second: null });
  };
  plot.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse" && event.buttons === 0) choose(event);
  });
  plot.addEventListener("click", choose);
}
