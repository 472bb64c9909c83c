// The time until the first, the median and the last receiver had a message: the spread inside an audience.

import type { Chart, Drawing, Reading, Size } from "../chart.ts";
import type { PageData } from "../data.ts";
import { count, tick } from "../format.ts";
import { decades, logarithmic, logRange, type Scale } from "../scale.ts";
import { circle, join, line, nothing, rect, text, type Svg } from "../svg.ts";
import { axisBelow, gridAcross } from "./axes.ts";
import { channelRows, nameRoom, rowName, rowZones, severalChannels, type ChannelRow } from "./rows.ts";
import { hatch, mark, sign, stroke } from "./shapes.ts";

const HATCH = "receivers-hatch";

/** Whether any message has several receivers. */
export const hasReceivers = (data: PageData): boolean => data.levels.some((level) => level.channels.some((channel) => channel.several));

export function receivers(data: PageData): Chart {
  const rows = channelRows(data).filter((row) => row.channel.several);
  return {
    id: "receivers",
    title: "First, median and last receiver",
    about: "Latency until they had the message: p95 over the messages",
    wide: false,
    legend: [
      { sign: sign(14, circle(7, 7, 4.2, { fill: "var(--surface)", ...stroke("var(--data)", 2) })), text: "first" },
      { sign: sign(8, line(4, 1, 4, 13, stroke("var(--text)", 2))), text: "median" },
      { sign: sign(14, circle(7, 7, 4.6, { fill: "var(--data)" })), text: "last" },
    ],
    draw: (size) => draw(data, rows, size),
    read: (index) => rows.filter((row) => row.index === index).flatMap((row) => read(row, severalChannels(data))),
    figures: () => ({
      titles: ["level", "channel", "messages", "first p95 ms", "median p95 ms", "last p95 ms"],
      rows: rows.map(({ level, channel: it }) => [level.label, it.name, it.messages, it.first.ms, it.median.ms, it.last.ms]),
    }),
  };
}

function draw(data: PageData, rows: readonly ChannelRow[], size: Size): Drawing {
  const named = severalChannels(data);
  const [left, most] = nameRoom(rows, named, size.width);
  const labels = rows.map((row) => rowName(row, named, most));
  const [right, top] = [size.width - 14, 8];
  const height = Math.max(26, Math.min(60, (size.height - top - 50) / rows.length));
  const bottom = top + height * rows.length;
  const [low, high] = logRange(rows.flatMap(({ channel: it }) => [it.first.ms, it.median.ms, it.last.ms].flatMap((ms) => ms ?? [])));
  const x = logarithmic(low, high, left, right);
  const content = join([
    hatch(HATCH),
    gridAcross(decades(low, high), x, top, bottom),
    ...rows.map((row, place) => one(row, labels[place] ?? "", top + (place + 0.5) * height, height, left, right, x)),
    axisBelow(decades(low, high), x, left, right, bottom, tick, "Latency"),
  ]);
  const label = `First, median and last receiver. ${rows.slice(0, 20).map((row, place) => `${labels[place]}: last ${row.channel.last.text}`).join("; ")}.`;
  return { height: bottom + 46, label, content, zones: rowZones(rows, top, height, size.width) };
}

function one(row: ChannelRow, label: string, y: number, height: number, left: number, right: number, x: Scale): Svg {
  const { level, channel } = row;
  const hatched = level.invalid ? rect(left, y - height / 2 + 2, right - left, height - 4, { fill: `url(#${HATCH})`, "fill-opacity": 0.35 }) : nothing;
  const head = join([mark(level, 8, y, 5), text(label, left - 8, y + 4, { "text-anchor": "end" })]);
  const [first, median, last] = [channel.first.ms, channel.median.ms, channel.last.ms];
  const ink = { fill: level.invalid ? "var(--surface)" : "var(--data)", stroke: "var(--data)", "stroke-width": 1.6 };
  const marks = join([
    first !== null && last !== null ? line(x(first), y, x(last), y, { stroke: "var(--data)", "stroke-width": 5, "stroke-opacity": 0.25 }) : text(channel.last.text, left + 8, y + 4),
    first === null ? nothing : circle(x(first), y, 4.4, { fill: "var(--surface)", ...stroke("var(--data)", 2) }),
    median === null ? nothing : line(x(median), y - 8, x(median), y + 8, stroke("var(--text)", 2)),
    last === null ? nothing : circle(x(last), y, 5, ink),
  ]);
  return join([hatched, head, marks]);
}

function read({ level, channel: it }: ChannelRow, named: boolean): Reading[] {
  return [
    { name: "", value: named ? `${it.name} at ${level.label}` : level.label },
    { name: "messages", value: count(it.messages) },
    { name: "first", value: it.first.text },
    { name: "median", value: it.median.text },
    { name: "last", value: it.last.text },
  ];
}
