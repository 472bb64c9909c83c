/** Streams of audio. Written by `headcount init`; do not edit. */
declare module "headcount" {
  /** Audio as 16-bit samples. It is read once, and all users share the same copy in memory. */
  export interface Audio {
    /** Length in seconds. */
    readonly seconds: number;
    /** Sample rate in Hz. */
    readonly rate: number;
    readonly channels: number;
    /** The words that are spoken, for audio from `audio.speech()`. Empty for other audio. */
    readonly text: string;
    /** Returns this audio followed by the others. All must have the same sample rate and number of channels. */
    concat(...others: Audio[]): Audio;
  }

  /** Sources of audio. Call them at the top level of a module, like `csv()`. */
  export const audio: {
    /** Reads a WAV file (16-bit PCM or 8-bit µ-law), or a file of raw samples: `{ format: "s16le", rate: 16000 }`.
     * Paths are relative to the scenario. */
    (path: string, options?: { format?: "wav" | "s16le"; rate?: number; channels?: number }): Audio;
    /** Speech that is included in headcount, at 16 kHz: one of eight sentences (1 to 8). By default all of them, with
     * pauses of 0.7 s. */
    speech(sentence?: number): Audio;
    /** Silence. Default: 16 kHz, one channel. */
    silence(length: Duration, options?: { rate?: number; channels?: number }): Audio;
    /** White noise at -20 dB. Default: 16 kHz, one channel. */
    noise(length: Duration, options?: { rate?: number; channels?: number }): Audio;
    /** Placeholder in `as` for the chunk, encoded as base64. */
    readonly base64: string;
    /** Placeholder in `as` for the chunk's number, which starts at 0. */
    readonly number: number;
  };

  /** Accepted values at JSON pointers: `{ "/type": ["partial", "final"] }`. */
  export type OneOf = Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;

  export interface StreamOptions {
    /** Length of a chunk. Default: 20 ms. The last chunk is filled with silence. */
    chunk?: Duration;
    /** Time between the starts of two chunks. Default: the length of a chunk. The schedule does not depend on replies:
     * chunk `i` is due `i * every` after the first. */
    every?: Duration;
    /** Format of the messages. With "binary" (default), each chunk is a binary message. With an object, each chunk is a
     * text message with this object as JSON, in which `audio.base64` and `audio.number` are replaced. */
    as?: "binary" | object;
    /** Number of times that the audio is sent in a row. Default: 1. */
    repeat?: number;
    /**
     * Identifies the replies to chunks. Without `reply`, headcount expects no replies.
     * `only`: values that a reply has. Default: every message is a reply.
     * `by`: JSON pointer to the chunk's number in the reply. Default: replies arrive in the order of the chunks.
     */
    reply?: { only?: OneOf; by?: string };
    /**
     * Identifies the messages with the first and the final result of each utterance. An utterance is the speech between
     * two pauses of at least 300 ms.
     * `only`: values that the message has.
     * `has`: JSON pointer to a value that is neither null nor empty.
     */
    results?: { first?: { only?: OneOf; has?: string }; final?: { only?: OneOf; has?: string } };
    /** Maximum number of chunks without a reply so far. At this limit, further chunks are dropped and counted.
     * Default: 100,000. */
    inFlight?: number;
    /** Time limit for the remaining replies, counted from the end of the audio. Default: `timeouts.total`. */
    timeout?: Duration;
  }

  /** Audio that is being sent. */
  export interface Stream {
    /** Resolves when all chunks are sent and all replies have arrived, or when the measured time ends. Rejects if
     * replies are missing after the time limit, or if the socket closes. */
    readonly done: Promise<void>;
    /** Stops sending chunks. `done` resolves when the outstanding replies have arrived. */
    stop(): void;
  }

  export interface Socket {
    /** Sends audio in chunks at a fixed pace, without running a script for each chunk or reply. The stream and the
     * round trips of its chunks are measured under `name`. A socket can have one stream at a time. */
    stream(name: string, source: Audio, options?: StreamOptions): Stream;
  }
}
