// Runs on the audio thread: collects 20 ms of samples and hands them over.

declare const sampleRate: number;
declare const registerProcessor: (name: string, processor: unknown) => void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

class Capture extends AudioWorkletProcessor {
  #chunk = new Float32Array(Math.round(sampleRate / 50));
  #filled = 0;

  process([input]: Float32Array[][]): boolean {
    // A microphone that is not connected has no channels.
    for (const sample of input?.[0] ?? []) {
      this.#chunk[this.#filled++] = sample;
      if (this.#filled === this.#chunk.length) {
        this.port.postMessage(this.#chunk);
        this.#filled = 0;
      }
    }
    return true;
  }
}

registerProcessor("capture", Capture);
