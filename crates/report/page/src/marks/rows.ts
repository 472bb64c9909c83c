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

/** Returns the zones of rows. */
export function rowZones(rows: readonly { index: number }[], top: number, height: number, width: number): Zone[] {
  return rows.map(({ index }, place) => ({ level: index, x: 0, y: top + place * height, width, height }));
}

/** Shortens a name to a number of characters. */
export const shortened = (name: string, most: number): string => (name.length <= most ? name : `${name.slice(0, Math.max(1, most - 1))}…`);
