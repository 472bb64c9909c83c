/** The capabilities of the page's server, from `/page.json`. */

export interface About {
  /** The languages that it can run, as in languages.ts; null if it runs no code or the response is missing. */
  languages: readonly string[] | null;
  /** Maximum time from a run request to its response, in milliseconds. */
  longestRun: number;
  /** Maximum size of a room's text, in bytes. */
  maxDocument: number;
  /** Maximum size of a message, in bytes. */
  maxMessage: number;
  /** Whether the server accepts connections from this page, at the page's host name. */
  mayConnect: boolean;
}

/** The capabilities of a server with default flags, used until the real ones are known. */
export const USUAL: About = { languages: null, longestRun: 60_000, maxDocument: 900_000, maxMessage: 1_000_000, mayConnect: true };

export async function ask(): Promise<About> {
  try {
    const answer = await fetch("/page.json");
    return { ...USUAL, ...((await answer.json()) as Partial<About>) };
  } catch {
    return USUAL; // the connection state shows that the server cannot be reached
  }
}

/** Maximum bytes per insertion: half a message, because a client may have to send the whole text in one message. */
export const mostAtOnce = ({ maxDocument, maxMessage }: About) => Math.min(maxDocument, Math.floor(maxMessage / 2));

export const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
