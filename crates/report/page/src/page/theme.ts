// The switch between light and dark. Without a choice, the page follows the system.

import { button, element } from "./dom.ts";

const KEY = "headcount-report:theme";
const THEMES = [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]] as const;

export function themeSwitch(): HTMLElement {
  const root = document.documentElement;
  const buttons = THEMES.map(([name, label]) => {
    const each = button(label, () => {
      set(name);
      store(name);
    });
    each.dataset["theme"] = name;
    return each;
  });
  const set = (name: string): void => {
    if (name === "auto") delete root.dataset["theme"];
    else root.dataset["theme"] = name;
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset["theme"] === name));
  };
  set(stored() ?? "auto");
  return element("div", { class: "seg", role: "group", "aria-label": "Theme" }, ...buttons);
}

/** Returns the stored theme. Some browsers refuse storage for files. */
function stored(): string | null {
  try {
    const name = localStorage.getItem(KEY);
    return THEMES.some(([known]) => known === name) ? name : null;
  } catch {
    return null;
  }
}

function store(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // The choice then holds until the page is closed.
  }
}
