// The time axis under the pointer: a line at the second, and zooming by dragging.

import type { TimeSpan } from "../chart.ts";
import type { Selected } from "./selection.ts";

/** Shortest distance in pixels that counts as dragging. */
const DRAG = 8;

export function followTime(plot: HTMLElement, spanOf: () => TimeSpan | null, selected: Selected): void {
  let start: number | null = null;
  const xOf = (event: PointerEvent): number => event.clientX - plot.getBoundingClientRect().left;
  const secondAt = (span: TimeSpan, x: number): number => span.from + ((Math.min(Math.max(x, span.left), span.right) - span.left) / (span.right - span.left)) * (span.to - span.from);

  plot.addEventListener("pointermove", (event) => {
    const span = spanOf();
    if (!span) return;
    const x = xOf(event);
    selected.choose({ second: secondAt(span, x) });
    hair(plot, x, span);
    if (start !== null) drag(plot, start, x);
  });
  plot.addEventListener("pointerleave", () => {
    if (spanOf()) hide(plot);
    selected.choose({ second: null });
    start = null;
  });
  plot.addEventListener("pointerdown", (event) => {
    if (spanOf() && event.pointerType === "mouse") start = xOf(event);
  });
  plot.addEventListener("pointerup", (event) => {
    const [span, from] = [spanOf(), start];
    start = null;
    hide(plot);
    if (!span || from === null || Math.abs(xOf(event) - from) < DRAG) return;
    const ends = [secondAt(span, from), secondAt(span, xOf(event))];
    selected.choose({ range: [Math.min(...ends), Math.max(...ends)] });
  });
  plot.addEventListener("dblclick", () => {
    if (spanOf()) selected.choose({ range: null });
  });
}

function hair(plot: Element, x: number, span: TimeSpan): void {
  const line = plot.querySelector(".hair");
  if (!line) return;
  line.setAttribute("visibility", x >= span.left && x <= span.right ? "visible" : "hidden");
  line.setAttribute("x1", String(x));
  line.setAttribute("x2", String(x));
}

function drag(plot: Element, from: number, to: number): void {
  const box = plot.querySelector(".drag");
  box?.setAttribute("visibility", "visible");
  box?.setAttribute("x", String(Math.min(from, to)));
  box?.setAttribute("width", String(Math.abs(to - from)));
}

function hide(plot: Element): void {
  for (const each of plot.querySelectorAll(".hair, .drag")) each.setAttribute("visibility", "hidden");
}
