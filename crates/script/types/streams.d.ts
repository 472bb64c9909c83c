/** Streams of audio. Written by `headcount init`; do not edit. */
declare module "headcount" {
  /** Audio as 16-bit samples. It is read once, and shared by all users. */
  export interface Audio {
    /** Length in seconds. */
    readonly seconds: number;
    /** Samples per second. */
    readonly rate: number;
    readonly channels: number;
    /** The spoken words of shipped speech. Empty for other audio. */
    readonly text: string;
    /** This audio, and then the others. All need the same rate and channels. */
    concat(...others: Audio[]): Audio;
  }

  /** Sources of audio. Call them at the top level of a module, like `csv()`. */
  export const audio: {
    /** Reads a WAV file (16-bit PCM or 8-bit µ-law), or a file of raw samples: `{ format: "s16le", rate: 16000 }`. Paths
     * are relative to the scenario. */
    (path: string, options?: { format?: "wav" | "s16le"; rate?: number; channels?: number }): Audio;
    /** Shipped speech at 16 kHz: one of eight sentences (1 to 8), or all of them with pauses of 0.7 s. */
    speech(sentence?: number): Audio;
    /** Silence. Default: 16 kHz, one channel. */
    silence(length: Duration, options?: { rate?: number; channels?: number }): Audio;
    /** White noise at -20 dB. Default: 16 kHz, one channel. */
    noise(length: Duration, options?: { rate?: number; channels?: number }): Audio;
    /** The place of the chunk, encoded as base64, in `as`. */
    readonly base64: string;
    /** The place of the chunk's number, from 0, in `as`. */
    readonly number: number;
  };

  /** Accepted values at JSON pointers: `{ "/type": ["partial", "final"] }`. */
  export type OneOf = Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;

  export interface StreamOptions {
    /** Length of a chunk. Default: 20 ms. The last chunk is filled with silence. */
    chunk?: Duration;
    /** Time between two chunks. Default: the length of a chunk. Chunk `i` is due `i` times this after the first, whatever
     * the replies do. */
    every?: Duration;
    /** Form of the messages. "binary" (the default): each chunk is a binary message. An object: each chunk is a JSON text
     * message, with `audio.base64` and `audio.number` in the places of the chunk and its number. */
    as?: "binary" | object;
    /** Number of times that the audio is sent. Default: 1. */
    repeat?: number;
    /** The reply to each chunk. `only`: values of a reply. Default: every message is a reply. `by`: JSON pointer to the
     * chunk's number in the reply. Default: replies arrive in the order of the chunks. Without `reply`, chunks have no
     * replies. */
    reply?: { only?: OneOf; by?: string };
    /** The results of each utterance: messages with the values `only`, and with a value that is neither null nor empty
     * at the pointer `has`. */
    results?: { first?: { only?: OneOf; has?: string }; final?: { only?: OneOf; has?: string } };
    /** Maximum number of chunks that await their replies. Further chunks are dropped and counted. Default: 100,000. */
    inFlight?: number;
    /** Time limit for the remaining replies, from the end of the audio. Default: `timeouts.total`. */
    timeout?: Duration;
  }

  /** Audio that is being sent. */
  export interface Stream {
    /** Resolves when all chunks are sent and all replies have arrived. Rejects if replies are missing after the time
     * limit, or if the socket closes. Resolves early if the measured time ends. */
    readonly done: Promise<void>;
    /** Sends no more chunks. `done` resolves when the outstanding replies have arrived. */
    stop(): void;
  }

  export interface Socket {
    /** Sends audio in chunks at a fixed pace, natively: no script runs per chunk or reply. The stream and the round trips
     * of its chunks are measured under `name`. A socket carries one stream at a time. */
    stream(name: string, source: Audio, options?: StreamOptions): Stream;
  }
}
