/** The edge of a panel. Dragging it, or the arrow keys, changes the panel's height. */

import { h } from "../dom.ts";

const LEAST = 96;
const STEP = 24;

export function splitter(panel: HTMLElement): HTMLElement {
  const most = () => Math.max(LEAST, (panel.parentElement?.clientHeight ?? 600) - 120);
  const set = (height: number) => {
    const now = Math.round(Math.min(most(), Math.max(LEAST, height)));
    panel.style.setProperty("--height", `${now}px`);
    edge.setAttribute("aria-valuenow", String(now));
  };
  const edge = h("div", {
    class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "horizontal", "aria-label": "Height of the output",
    "aria-valuemin": LEAST,
    keydown: (event: KeyboardEvent) => {
      const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      set(panel.offsetHeight + step);
    },
    pointerdown: (event: PointerEvent) => {
      edge.setPointerCapture(event.pointerId);
      const bottom = panel.getBoundingClientRect().bottom;
      edge.onpointermove = (move) => set(bottom - move.clientY);
      edge.onpointerup = () => (edge.onpointermove = null);
    },
  });
  return edge;
}
