// The fates of deliveries: a matrix of levels and fates with counts, and bars on a logarithmic scale.

import type { Chart, Drawing, Reading, Size } from "../chart.ts";
import type { Channel, PageData } from "../data.ts";
import { count } from "../format.ts";
import { join, line, nothing, rect, text, type Svg } from "../svg.ts";
import { channelRows, nameRoom, rowName, rowZones, severalChannels, type ChannelRow } from "./rows.ts";
import { mark } from "./shapes.ts";

type Fate = { name: string; short: string; bad: boolean; of: (channel: Channel) => number };

const FATES: readonly Fate[] = [
  { name: "delivered", short: "deliv.", bad: false, of: (it) => it.delivered },
  { name: "late", short: "late", bad: true, of: (it) => it.late },
  { name: "lost", short: "lost", bad: true, of: (it) => it.lost },
  { name: "cut off", short: "cut off", bad: false, of: (it) => it.cut_off },
  { name: "duplicated", short: "dup.", bad: true, of: (it) => it.duplicated },
  { name: "reordered", short: "reord.", bad: true, of: (it) => it.reordered },
  { name: "misdelivered", short: "misdel.", bad: true, of: (it) => it.misdelivered },
];

export function fates(data: PageData): Chart {
  const rows = channelRows(data);
  const seen = FATES.filter((fate) => fate.name !== "cut off" || rows.some((row) => row.channel.cut_off > 0));
  return {
    id: "fates",
    title: "Fates of deliveries",
    about: "Expected = delivered + late + lost + cut off. Bars are on a logarithmic scale.",
    wide: true,
    legend: [],
    draw: (size) => draw(data, rows, seen, size),
    read: (index) => rows.filter((row) => row.index === index).flatMap(read),
    figures: () => ({
      titles: ["level", "channel", "messages", "expected", ...FATES.map((fate) => fate.name)],
      rows: rows.map(({ level, channel }) => [level.label, channel.name, channel.messages, channel.expected, ...FATES.map((fate) => fate.of(channel))]),
    }),
  };
}

const ROW = 34;

function draw(data: PageData, rows: readonly ChannelRow[], seen: readonly Fate[], size: Size): Drawing {
  const phone = size.width < 620;
  const named = severalChannels(data);
  const [left, room] = nameRoom(rows, named, size.width * (phone ? 0.8 : 1));
  const label = (row: ChannelRow): string => rowName(row, named, room);
  const width = (size.width - left) / seen.length;
  const top = 26;
  const most = Math.max(...rows.map((row) => row.channel.expected), 10);
  const bar = (value: number): number => (value <= 0 ? 0 : ((Math.log10(value) + 0.3) / (Math.log10(most) + 0.3)) * (width - 12));
  const heads = seen.map((fate, index) => text(phone ? fate.short : fate.name, left + (index + 1) * width - 10, 16, { class: "small", "text-anchor": "end" }));
  const lines = rows.map((row, place) => {
    const y = top + place * ROW;
    const cells = seen.map((fate, index) => cell(fate, row, left + index * width, y, width, bar, phone));
    return join([line(0, y, size.width, y, { class: "grid" }), mark(row.level, 8, y + ROW / 2, 5), text(label(row), left - 8, y + ROW / 2 + 4, { "text-anchor": "end" }), ...cells]);
  });
  const lost = rows.slice(0, 20).map((row) => `${label(row)}: ${count(row.channel.lost)} of ${count(row.channel.expected)} lost`);
  return { height: top + rows.length * ROW + 6, label: `Fates of deliveries. ${lost.join("; ")}.`, content: join([...heads, ...lines]), zones: rowZones(rows, top, ROW, size.width) };
}

function cell(fate: Fate, row: ChannelRow, x: number, y: number, width: number, bar: (value: number) => number, phone: boolean): Svg {
  const value = fate.of(row.channel);
  const bad = fate.bad && value > 0;
  const length = bar(value);
  const shape = value > 0 ? rect(x + width - 10 - length, y + ROW - 9, length, 4, { fill: bad ? "var(--bad)" : "var(--data)", "fill-opacity": row.level.invalid ? 0.45 : 0.85 }) : nothing;
  const words = phone && value >= 10_000 ? `${Math.round(value / 1000)}k` : count(value);
  return join([shape, text(words, x + width - 10, y + 19, { "text-anchor": "end", class: bad ? "badtext" : value > 0 ? "strong" : "" })]);
}

function read({ level, channel: it }: ChannelRow): Reading[] {
  const none = it.lost === 0 && it.bound !== null ? `0 of ${count(it.expected)} (at most ${it.bound} of the messages, 95 %)` : `${count(it.lost)} of ${count(it.expected)}`;
  const reasons = it.reasons.map((reason): Reading => ({ name: "", value: reason, tone: "bad" }));
  return [{ name: "", value: `${it.name} at ${level.label}` }, { name: "lost", value: none }, ...reasons];
}
