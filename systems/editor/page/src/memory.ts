/** The browser's storage: name, theme and recent rooms. Without storage (private windows) nothing is remembered. */

const NAME = "headcount-editor:name";
const THEME = "headcount-editor:theme";
const ROOMS = "headcount-editor:rooms";
const MOST_ROOMS = 6;

/** Maximum length of a user name here. */
export const MOST_NAME = 40;

export interface Visit {
  room: string;
  /** Milliseconds since 1970. */
  at: number;
}

export const name = () => read(NAME) ?? "";
export const rememberName = (name: string) => write(NAME, name);
export const theme = () => read(THEME) ?? "auto";
export const rememberTheme = (theme: string) => write(THEME, theme);

/** Recent rooms, newest first. */
export function visits(): Visit[] {
  try {
    const saved: unknown = JSON.parse(read(ROOMS) ?? "[]");
    return Array.isArray(saved) ? saved.filter(isVisit).slice(0, MOST_ROOMS) : [];
  } catch {
    return [];
  }
}

export function rememberVisit(room: string): void {
  const others = visits().filter((visit) => visit.room !== room);
  write(ROOMS, JSON.stringify([{ room, at: Date.now() }, ...others].slice(0, MOST_ROOMS)));
}

export function forgetVisit(room: string): void {
  write(ROOMS, JSON.stringify(visits().filter((visit) => visit.room !== room)));
}

function isVisit(value: unknown): value is Visit {
  const visit = value as Partial<Visit> | null;
  return typeof visit?.room === "string" && typeof visit.at === "number";
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is disabled or full. The page works without it.
  }
}
