// Audio, and the streams that send it.
import { joinAudio, openAudio, startStream, stopStream } from "headcount/native";
import { mustBeName } from "headcount/check";

/** Replaced by the chunk and by its number in the JSON text of a message. */
const BASE64 = "{{headcount:base64}}";
const NUMBER = "{{headcount:number}}";

class Audio {
  #number;
  constructor([number, seconds, rate, channels, text]) {
    this.#number = number;
    this.seconds = seconds;
    this.rate = rate;
    this.channels = channels;
    this.text = text;
    Object.freeze(this);
  }
  concat(...others) { return new Audio(joinAudio([this, ...others].map(Audio.number))); }

  /** Returns the native number of audio; not for scenarios. */
  static number(value) {
    if (typeof value !== "object" || value === null || !(#number in value)) {
      throw new TypeError("the audio must come from `audio`, such as audio(\"speech.wav\") or audio.speech()");
    }
    return value.#number;
  }
}

const open = (...what) => new Audio(openAudio(...what));

export const audio = Object.freeze(Object.assign((path, options) => open("file", path, options), {
  base64: BASE64,
  number: NUMBER,
  speech: (sentence) => open("speech", sentence, undefined),
  silence: (length, options) => open("silence", length, options),
  noise: (length, options) => open("noise", length, options),
}));

class Stream {
  #socket;
  constructor(socket, done) {
    this.#socket = socket;
    this.done = done;
  }
  stop() { stopStream(this.#socket); }
}

/** Starts `socket.stream()`. */
export const startOn = (socket, name, source, options) => {
  mustBeName(name, "socket.stream(name, source, options): the name");
  const form = options?.as;
  const given = typeof form === "object" && form !== null ? { ...options, as: JSON.stringify(form) } : options;
  return new Stream(socket, startStream(socket, name, Audio.number(source), given));
};
