// Elements of the page. Texts from targets and scripts become text nodes, never markup.

import type { Svg } from "../svg.ts";

type Child = Node | string;

/** Creates an element. */
export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Readonly<Record<string, string>> = {}, ...children: readonly Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Creates a button. */
export function button(label: string, press: (button: HTMLButtonElement) => void): HTMLButtonElement {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", () => press(made));
  return made;
}

/** Puts SVG into an element. `Svg` is escaped where it is made (`svg.ts`). */
export function show(box: Element, svg: Svg): void {
  box.innerHTML = svg;
}

/** Puts HTML of the Rust crate `report` into an element. All texts in it are escaped there. */
export function showReport(box: Element, html: string): void {
  box.innerHTML = html;
}
