import worklet from "./capture.worklet.ts?worker&url";

/** The largest file that is decoded in memory. */
const LARGEST = 200_000_000;
const FILE_RATE = 16_000;
const CHUNK_MS = 20;

/** Something that delivers samples at the pace of speech, in chunks of 20 ms. */
export interface Source {
  readonly rate: number;
  start(take: (samples: Float32Array) => void, end: () => void): void;
  stop(): void;
}

/** Opens the microphone. Asks for permission. */
export async function microphone(): Promise<Source> {
  if (!("mediaDevices" in navigator)) {
    throw new Error("Browsers allow microphones only over HTTPS or on localhost. You can choose a file instead.");
  }
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } }).catch((error: unknown) => {
    throw new Error(refusal(error));
  });
  // The device's own rate: not every browser converts. The service does.
  const context = new AudioContext();
  await context.audioWorklet.addModule(worklet);
  const capture = new AudioWorkletNode(context, "capture", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
  const stop = () => {
    capture.port.onmessage = null;
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  return {
    rate: context.sampleRate,
    start(take, end) {
      capture.port.onmessage = ({ data }: MessageEvent<Float32Array>) => take(data);
      stream.getAudioTracks()[0]?.addEventListener("ended", end);
      context.createMediaStreamSource(stream).connect(capture);
      void context.resume();
    },
    stop,
  };
}

function refusal(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") return "The browser may not use the microphone. Allow it in the settings of this page.";
  if (name === "NotFoundError") return "There is no microphone. You can choose a file instead.";
  return `The microphone cannot be used: ${String(error)}`;
}

/** Decodes a file. It is sent at the pace of speech, so that its text appears as if it were spoken now. */
export async function recording(file: File): Promise<Source> {
  if (file.size > LARGEST) throw new Error("The file is larger than 200 MB.");
  const decoder = new OfflineAudioContext(1, 1, FILE_RATE);
  const audio = await decoder.decodeAudioData(await file.arrayBuffer()).catch(() => {
    throw new Error(`${file.name} contains no audio that this browser can decode.`);
  });
  return paced(mono(audio));
}

function mono(audio: AudioBuffer): Float32Array {
  const mixed = new Float32Array(audio.length);
  for (let channel = 0; channel < audio.numberOfChannels; channel++) {
    audio.getChannelData(channel).forEach((sample, index) => (mixed[index]! += sample / audio.numberOfChannels));
  }
  return mixed;
}

function paced(samples: Float32Array): Source {
  const size = (FILE_RATE * CHUNK_MS) / 1000;
  let timer: number | undefined;
  const stop = () => clearInterval(timer);
  return {
    rate: FILE_RATE,
    start(take, end) {
      const begun = performance.now();
      let sent = 0;
      // A page in the background is woken only once per second, so each time sends all chunks that are due.
      timer = window.setInterval(() => {
        const due = Math.floor((performance.now() - begun) / CHUNK_MS) + 1;
        for (; sent < due && sent * size < samples.length; sent++) take(samples.subarray(sent * size, (sent + 1) * size));
        if (sent * size < samples.length) return;
        stop();
        end();
      }, CHUNK_MS);
    },
    stop,
  };
}
