// The charts of the page, and the room for each.

import type { Chart, Size } from "../chart.ts";
import type { PageData } from "../data.ts";
import { distribution, hasDistribution } from "../marks/distribution.ts";
import { fates } from "../marks/fates.ts";
import { funnel, hasSteps } from "../marks/funnel.ts";
import { latencyOverLoad } from "../marks/latency.ts";
import { hasReceivers, receivers } from "../marks/receivers.ts";
import { throughput } from "../marks/throughput.ts";
import { hasTime, timeline } from "../marks/timeline.ts";

const HINT = "Point at a level, or use the arrow keys, to read its figures in every chart.";

/** Returns the charts that have something to show. With one level, its distribution comes first. `time` is the chart of the seconds. */
export function chartsOf(data: PageData, time: Chart | null = hasTime(data) ? timeline(data) : null): Chart[] {
  if (data.levels.length === 0) return [];
  const several = data.levels.length > 1;
  const spread = hasDistribution(data) ? [distribution(data)] : [];
  const beside = hasReceivers(data) ? receivers(data) : several ? throughput(data) : null;
  const first = several || spread.length === 0 ? [latencyOverLoad(data)] : spread;
  const charts = [...first, ...(beside ? [beside] : []), ...(time ? [time] : []), ...(several ? spread : [])];
  if (hasReceivers(data) && several) charts.push(throughput(data));
  if (data.levels.some((level) => level.channels.length > 0)) charts.push(fates(data));
  if (hasSteps(data)) charts.push(funnel(data));
  return fillRows(charts).map((chart, index) => (index === 0 ? { ...chart, hint: HINT } : chart));
}

/** Widens a chart that would leave the place beside it empty. */
function fillRows(charts: readonly Chart[]): Chart[] {
  let open = false;
  return charts.map((chart, index) => {
    if (chart.wide) return chart;
    open = !open;
    const alone = open && (charts[index + 1]?.wide ?? true);
    if (alone) open = false;
    return alone ? { ...chart, wide: true } : chart;
  });
}

/** Returns the room for a drawing: on a wide screen, the first charts end where the screen does. */
export function roomOf(box: () => HTMLElement, first: boolean): (width: number) => Size {
  return (width) => {
    if (width < 520) return { width, height: 320 };
    const most = innerWidth >= 1900 ? 520 : 400;
    const top = box().querySelector(".plot")?.getBoundingClientRect().top ?? 0;
    const left = first ? innerHeight - top - scrollY - 60 : 340;
    return { width, height: Math.max(300, Math.min(most, left)) };
  };
}
