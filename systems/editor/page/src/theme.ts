/** Themes are sets of custom properties (styles/themes.css). Changing the theme only repaints the page. */

import * as memory from "./memory.ts";

export const THEMES = [
  { id: "auto", label: "As the system" },
  { id: "daylight", label: "Daylight" },
  { id: "paper", label: "Paper" },
  { id: "solarized", label: "Solarized light" },
  { id: "nightfall", label: "Nightfall" },
  { id: "monokai", label: "Monokai" },
  { id: "nord", label: "Nord" },
  { id: "contrast", label: "High contrast" },
] as const;

const DARK = new Set(["nightfall", "monokai", "nord", "contrast"]);
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

dark.addEventListener("change", paint);

export function chosen(): string {
  const saved = memory.theme();
  return THEMES.some((theme) => theme.id === saved) ? saved : "auto";
}

export function choose(theme: string): void {
  memory.rememberTheme(theme);
  paint();
}

/** The theme to show. "auto" resolves to one of two themes, by the system's setting. */
function shown(): string {
  const theme = chosen();
  return theme === "auto" ? (dark.matches ? "nightfall" : "daylight") : theme;
}

export const isDark = () => DARK.has(shown());

/** Applies the theme to the page. */
export function paint(): void {
  document.documentElement.dataset["theme"] = shown();
  for (const listener of listeners) listener();
}

/** Calls back after each change, until the returned function is called. */
export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
