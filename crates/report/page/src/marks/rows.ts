// Charts with one row for each channel and level, or for each step.

import type { Zone } from "../chart.ts";
import type { Channel, Level, PageData } from "../data.ts";

/** A channel in one level. */
export interface ChannelRow {
  index: number;
  level: Level;
  channel: Channel;
}

/** Returns the channels of all levels. The levels of a channel stand together. */
export function channelRows(data: PageData): ChannelRow[] {
  const rows = data.levels.flatMap((level, index) => level.channels.map((channel) => ({ index, level, channel })));
  const names = [...new Set(rows.map((row) => row.channel.name))];
  return names.flatMap((name) => rows.filter((row) => row.channel.name === name));
}

/** Whether the run has more than one channel, so that rows need its name. */
export const severalChannels = (data: PageData): boolean => new Set(data.levels.flatMap((level) => level.channels.map((channel) => channel.name))).size > 1;

/** Returns the name of a row in at most `most` characters: of several channels, the channel is shortened. */
export function rowName({ level, channel }: ChannelRow, named: boolean, most: number): string {
  if (!named) return shortened(level.label, most);
  return `${shortened(channel.name, Math.max(4, most - level.label.length - 1))} ${level.label}`;
}

/** Returns the width of the names, at most a part of the chart, and the number of characters that it has room for. */
export function nameRoom(rows: readonly ChannelRow[], named: boolean, width: number): [pixels: number, characters: number] {
  const longest = Math.max(5, ...rows.map((row) => rowName(row, named, 30).length));
  const pixels = Math.min(width * 0.45, longest * 6.8 + 32);
  return [pixels, Math.floor((pixels - 30) / 6.6)];
}

/** Returns the zones of rows. */
export function rowZones(rows: readonly { index: number }[], top: number, height: number, width: number): Zone[] {
  return rows.map(({ index }, place) => ({ level: index, x: 0, y: top + place * height, width, height }));
}

/** Shortens a name to a number of characters. */
export const shortened = (name: string, most: number): string => (name.length <= most ? name : `${name.slice(0, Math.max(1, most - 1))}…`);
