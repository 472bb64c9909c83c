// The steps of the scenario: how many iterations reached, passed and failed each, for one level.

import type { Chart, Drawing, Reading, Size, View } from "../chart.ts";
import type { PageData, Step } from "../data.ts";
import { count } from "../format.ts";
import { linear } from "../scale.ts";
import { join, line, nothing, rect, text, type Svg } from "../svg.ts";
import { shortened } from "./rows.ts";
import { sign } from "./shapes.ts";

const ROW = 40;

export const hasSteps = (data: PageData): boolean => data.levels.some((level) => level.steps.length > 0);

export function funnel(data: PageData): Chart {
  const box = (fill: string, opacity = 1): Svg => sign(14, rect(0, 2, 14, 10, { fill, "fill-opacity": opacity }));
  return {
    id: "funnel",
    title: "Steps",
    about: "Iterations that reached each step. Percentiles cover all of them; failures and timeouts rank as slowest.",
    wide: true,
    legend: [
      { sign: box("var(--data)"), text: "passed" },
      { sign: box("var(--bad)"), text: "failed" },
      { sign: box("var(--axis)", 0.5), text: "unfinished" },
    ],
    draw: (size, view) => draw(data, size, view),
    read: (index) => read(data, index),
    figures: () => ({
      titles: ["level", "step", "started", "reached", "passed", "failed", "unfinished", "p50 ms", "p95 ms"],
      rows: data.levels.flatMap((level) => level.steps.map((it) => [level.label, it.name, it.started, it.reached, it.passed, it.failed, it.unfinished, it.p50.ms, it.p95.ms])),
    }),
  };
}

/** Returns the chosen level, or the last one with steps. */
function shownLevel(data: PageData, chosen: number | null): number {
  if (chosen !== null && (data.levels[chosen]?.steps.length ?? 0) > 0) return chosen;
  return data.levels.findLastIndex((level) => level.steps.length > 0);
}

function draw(data: PageData, size: Size, view: View): Drawing {
  const level = data.levels[shownLevel(data, view.level)];
  const steps = level?.steps ?? [];
  const phone = size.width < 620;
  const most = Math.max(1, ...steps.map((step) => step.started));
  const nameRoom = phone ? 0 : Math.min(260, Math.max(...steps.map((step) => step.name.length)) * 7.6 + 18);
  const times = phone ? 0 : 300;
  const right = size.width - times - (phone ? 62 : 90);
  const x = linear(0, most, nameRoom, right);
  const top = 28;
  const rows = steps.map((step, place) => one(step, top + place * ROW, x, right, size.width, phone));
  const head = [text(`At ${level?.label ?? ""}`, 0, 14, { class: "strong" }), ...(phone ? [] : [text("p50", size.width - 158, 14, { class: "small", "text-anchor": "end" }), text("p95", size.width - 4, 14, { class: "small", "text-anchor": "end" })])];
  const each = steps.slice(0, 20).map((step) => `${step.name}: ${count(step.passed)} of ${count(step.reached)} passed`);
  return { height: top + steps.length * ROW, label: `Steps at ${level?.label ?? "no level"}. ${each.join("; ")}.`, content: join([...head, ...rows]), zones: [] };
}

function one(step: Step, y: number, x: (value: number) => number, right: number, width: number, phone: boolean): Svg {
  const [top, height] = [y + (phone ? 18 : 9), phone ? 12 : 20];
  const parts = [
    [step.passed, "var(--data)", 1],
    [step.failed, "var(--bad)", 1],
    [step.unfinished, "var(--axis)", 0.5],
  ] as const;
  let from = 0;
  const bars = parts.map(([number, fill, opacity]) => {
    const bar = number > 0 ? rect(x(from), top, Math.max(1.5, x(from + number) - x(from)), height, { fill, "fill-opacity": opacity }) : nothing;
    from += number;
    return bar;
  });
  const all = rect(x(0), top, x(step.started) - x(0), height, { fill: "var(--sunken)" });
  const name = phone ? text(shortened(step.name, 40), 0, y + 13, { class: "strong" }) : text(shortened(step.name, 36), 0, top + 14, { class: "strong" });
  const reached = text(`${count(step.reached)} of ${count(step.started)}`, phone ? width : right + 8, phone ? y + 13 : top + 14, { "text-anchor": phone ? "end" : "start" });
  const times = phone ? [] : [text(step.p50.text, width - 158, top + 14, { "text-anchor": "end", class: "small" }), text(step.p95.text, width - 4, top + 14, { "text-anchor": "end", class: "small" })];
  return join([line(0, y, width, y, { class: "grid" }), all, ...bars, name, reached, ...times]);
}

function read(data: PageData, index: number): Reading[] {
  const level = data.levels[shownLevel(data, index)];
  if (!level) return [];
  const worst = level.steps.reduce<Step | null>((most, step) => (step.failed > (most?.failed ?? 0) ? step : most), null);
  const failed: Reading[] = worst ? [{ name: "most failures", value: `${worst.name}, ${count(worst.failed)} of ${count(worst.reached)}`, tone: "bad" }] : [{ name: "", value: "no step failed" }];
  return [{ name: "", value: level.label }, ...failed];
}
