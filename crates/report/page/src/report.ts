// Draws the charts of the report, and makes its tables sortable.

import type { PageData } from "./data.ts";
import { card, type Card } from "./page/card.ts";
import { chartsOf, roomOf } from "./page/charts.ts";
import { Selected } from "./page/selection.ts";
import { enrichTables } from "./page/tables.ts";
import { themeSwitch } from "./page/theme.ts";

function main(): void {
  document.getElementById("controls")?.append(themeSwitch());
  enrichTables(document);
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
  const data = JSON.parse(document.getElementById("data")?.textContent ?? "null") as PageData | null;
  const place = document.getElementById("charts");
  if (!data || !place) return;
  const selected = new Selected();
  const cards: Card[] = chartsOf(data).map((chart, index) => {
    const made: Card = card(chart, () => data.levels.length, selected, roomOf(() => made.box, index < 2));
    return made;
  });
  place.append(...cards.map(({ box }) => box));
  const draw = (): void => cards.forEach((each) => each.draw());
  draw();
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, 80);
  });
}

main();
