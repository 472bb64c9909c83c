/** Converts samples from -1 to 1 into 16-bit PCM, little-endian. */
export function toPcm(samples: Float32Array): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, index) => {
    const bounded = Math.max(-1, Math.min(1, sample));
    view.setInt16(index * 2, Math.round(bounded * 32767), true);
  });
  return view.buffer;
}

/** The loudness of samples, from 0 to 1. The quietest speech is about 0.1. */
export function loudness(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);
  const decibels = 10 * Math.log10(power + 1e-9);
  return Math.max(0, Math.min(1, 1 + decibels / 60));
}
