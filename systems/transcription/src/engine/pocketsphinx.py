"""Recognises one utterance after another with PocketSphinx.

Requests on standard input are a letter and a length (little-endian, 4 bytes), followed by that many bytes of 16-bit
audio at 16 kHz. `a` adds the audio to the utterance and `f` ends it; `d` drops the utterance. The response is a line of
JSON with the words so far; for `f`, each word has its times in hundredths of a second.
"""

import json
import struct
import sys

from pocketsphinx import Decoder

model = sys.argv[1].rstrip("/")
config = Decoder.default_config()
config.set_string("-hmm", model + "/en-us")
config.set_string("-lm", model + "/en-us.lm.bin")
config.set_string("-dict", model + "/cmudict-en-us.dict")
config.set_string("-logfn", "/dev/null")
decoder = Decoder(config)


def answer(words):
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def segments():
    parts = list(decoder.seg() or [])
    first = parts[0].start_frame if parts else 0
    for part in parts:
        # Fillers are written as <sil>, [NOISE] or ++BREATH++, and a second pronunciation as word(2).
        if part.word[0] not in "<[+":
            word = part.word.split("(")[0]
            yield [word, part.start_frame - first, part.end_frame + 1 - first]


answer([])
started = False
while True:
    head = sys.stdin.buffer.read(5)
    if len(head) < 5:
        break
    kind, length = struct.unpack("<cI", head)
    audio = sys.stdin.buffer.read(length)
    if not started and kind != b"d":
        decoder.start_utt()
        started = True
    if audio:
        decoder.process_raw(audio, False, False)
    if kind == b"a":
        hypothesis = decoder.hyp()
        answer(hypothesis.hypstr.split() if hypothesis else [])
        continue
    if started:
        decoder.end_utt()
        started = False
    answer(list(segments()) if kind == b"f" else [])
