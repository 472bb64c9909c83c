// Asks the server for updates, one request after the other. Each gets its response when something has changed.

import type { Update } from "./update.ts";

/** Longest time without a response. The server responds after a fraction of it, even if nothing has changed. */
const PATIENCE = 30_000;
/** Pause before the next attempt after a failed one. */
const PAUSE = 1000;
const LONGEST_PAUSE = 5000;

export interface Listener {
  update(update: Update): void;
  /** The server does not respond (false), or does again (true). */
  connected(is: boolean): void;
}

/** Follows the run until its end. A reload of the page, or a lost connection, loses nothing. */
export async function follow(listener: Listener): Promise<void> {
  let [after, pause] = [0, PAUSE];
  let next = ask(after);
  for (;;) {
    let update: Update;
    try {
      update = await next;
    } catch {
      listener.connected(false);
      await sleep(pause);
      pause = Math.min(pause * 1.5, LONGEST_PAUSE);
      next = ask(after);
      continue;
    }
    pause = PAUSE;
    after = update.change;
    // The next request is sent before the page is drawn, so that the last update of the run finds one.
    const over = update.end?.last === true;
    if (!over) {
      next = ask(after);
      next.catch(() => undefined); // handled in the next turn
    }
    listener.connected(true);
    try {
      listener.update(update);
    } catch (error) {
      reportError(error);
      if (!over) {
        await sleep(PAUSE);
        next = ask(0); // everything again, because the page misses something
      }
    }
    if (over) return;
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function ask(after: number): Promise<Update> {
  const response = await fetch(`updates?after=${after}`, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return (await response.json()) as Update;
}
