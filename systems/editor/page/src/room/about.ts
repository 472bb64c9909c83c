/** What the server of this page can do: it says so at `/page.json`. */

export interface About {
  /** What it runs, by the names of languages.ts; nothing where it runs no code, or did not say. */
  languages: readonly string[] | null;
  /** From asking for a run to its answer, at most; milliseconds. */
  longestRun: number;
  /** Bytes of a room's text, at most. */
  maxDocument: number;
  /** Bytes of a message, at most. */
  maxMessage: number;
  /** Whether it takes lines from this page, by the name under which the page was opened. */
  mayConnect: boolean;
}

/** What a server does that was started without flags; until it says otherwise. */
export const USUAL: About = { languages: null, longestRun: 60_000, maxDocument: 900_000, maxMessage: 1_000_000, mayConnect: true };

export async function ask(): Promise<About> {
  try {
    const answer = await fetch("/page.json");
    return { ...USUAL, ...((await answer.json()) as Partial<About>) };
  } catch {
    return USUAL; // it cannot be reached: the line says so, too
  }
}

/** Bytes that may come into the text at once: half of a message, because whoever shares the whole text at once must still be heard. */
export const mostAtOnce = ({ maxDocument, maxMessage }: About) => Math.min(maxDocument, Math.floor(maxMessage / 2));

export const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
