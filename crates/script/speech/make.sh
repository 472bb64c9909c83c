#!/usr/bin/env bash
# Makes speech.wav and manifest.json with espeak-ng (Debian: apt-get install espeak-ng) and Python 3.11:
# eight sentences at 16 kHz, one channel, G.711 µ-law, one after the other without pauses.
set -euo pipefail
cd "$(dirname "$0")"
python3 - <<'PYTHON'
import audioop, io, json, subprocess, wave

SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "Please call me back after three in the afternoon.",
    "We will meet at the station on Monday morning.",
    "My order has not arrived, and nobody answers the phone.",
    "Turn left at the second light, then go straight on.",
    "The weather will be cold and dry until the weekend.",
    "I would like to book a table for two people.",
    "Thank you very much, that is all for today.",
]
VOICES = ["en-us", "en-gb", "en-us+f3", "en-gb+m3"]
RATE = 16_000
SILENT = 328

def spoken(text, voice):
    wav = subprocess.run(
        ["espeak-ng", "-v", voice, "-s", "165", "--stdout", text], check=True, capture_output=True
    ).stdout
    with wave.open(io.BytesIO(wav)) as source:
        samples = source.readframes(source.getnframes())
        samples, _ = audioop.ratecv(samples, 2, 1, source.getframerate(), RATE, None)
    # Cut the silence at both ends, except for 20 ms.
    loud = [at for at in range(0, len(samples), 2) if abs(audioop.getsample(samples, 2, at // 2)) >= SILENT]
    margin = 2 * RATE // 50
    samples = samples[max(0, loud[0] - margin):loud[-1] + margin]
    return audioop.mul(samples, 2, 0.7 * 32_767 / audioop.max(samples, 2))

manifest, speech, at = [], b"", 0
for number, text in enumerate(SENTENCES):
    samples = spoken(text, VOICES[number % len(VOICES)])
    speech += audioop.lin2ulaw(samples, 2)
    end = at + len(samples) // 2
    manifest.append({"text": text, "voice": VOICES[number % len(VOICES)], "start": at, "end": end})
    at = end

def word(value, size):
    return value.to_bytes(size, "little")

head = word(7, 2) + word(1, 2) + word(RATE, 4) + word(RATE, 4) + word(1, 2) + word(8, 2)
body = b"WAVE" + b"fmt " + word(len(head), 4) + head + b"data" + word(len(speech), 4) + speech
if len(speech) % 2:
    body += b"\0"
with open("speech.wav", "wb") as file:
    file.write(b"RIFF" + word(len(body), 4) + body)
with open("manifest.json", "w") as file:
    json.dump(manifest, file, indent=2)
    file.write("\n")
PYTHON
