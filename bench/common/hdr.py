"""Reads HdrHistogram's V2 deflate format, which `run.json` uses: https://github.com/HdrHistogram/HdrHistogram."""

import base64
import math
import struct
import zlib
from dataclasses import dataclass

COMPRESSED = 0x1C849304
PLAIN = 0x1C849303
HEADER = struct.Struct(">IIIIQQd")


@dataclass(frozen=True)
class Histogram:
    """Counts by value in nanoseconds, in ascending order. Each value is the highest of its bin."""

    counts: list[tuple[int, int]]
    sum_ns: int
    max_ns: int

    @property
    def count(self) -> int:
        return sum(count for _, count in self.counts)

    def mean_ms(self) -> float:
        return self.sum_ns / self.count / 1e6

    def max_ms(self) -> float:
        return self.max_ns / 1e6

    def percentile_ms(self, percent: float) -> float:
        """Returns the smallest value that this percentage of the samples does not exceed."""
        rank = max(1, math.ceil(self.count * percent / 100))
        seen = 0
        for value, count in self.counts:
            seen += count
            if rank <= seen:
                return min(value, self.max_ns) / 1e6
        raise ValueError("the histogram has no values, so it has no percentile")


def decoded(saved: dict) -> Histogram:
    """Reads a histogram of `run.json`: {"count", "sum_ns", "max_ns", "hdr"}."""
    if not saved["count"]:
        return Histogram([], 0, 0)
    packed = base64.b64decode(saved["hdr"])
    cookie, length = struct.unpack_from(">II", packed)
    if cookie & ~0xF0 != COMPRESSED & ~0xF0:
        raise ValueError(f"not a compressed V2 histogram: {cookie:#x}")
    plain = zlib.decompress(packed[8 : 8 + length])
    cookie, payload, _, digits, lowest, _, _ = HEADER.unpack_from(plain)
    if cookie & ~0xF0 != PLAIN & ~0xF0:
        raise ValueError(f"not a V2 histogram: {cookie:#x}")
    counts = counts_of(plain[HEADER.size : HEADER.size + payload], digits, lowest)
    histogram = Histogram(counts, saved["sum_ns"], saved["max_ns"])
    if histogram.count != saved["count"]:
        raise ValueError(f"{histogram.count} values in a histogram of {saved['count']}")
    return histogram


def counts_of(payload: bytes, digits: int, lowest: int) -> list[tuple[int, int]]:
    """Decodes the counts. A positive number is a count; a negative number is the length of a run of empty bins."""
    half_bits = math.ceil(math.log2(2 * 10**digits)) - 1
    unit_bits = int(math.log2(lowest))
    counts, index = [], 0
    for number in zigzag(payload):
        if number < 0:
            index += -number
        else:
            if number:
                counts.append((highest_at(index, half_bits, unit_bits), number))
            index += 1
    return counts


def highest_at(index: int, half_bits: int, unit_bits: int) -> int:
    """Returns the highest value of a bin."""
    bucket, sub = (index >> half_bits) - 1, (index & ((1 << half_bits) - 1)) + (1 << half_bits)
    if bucket < 0:
        bucket, sub = 0, sub - (1 << half_bits)
    return ((sub + 1) << (bucket + unit_bits)) - 1


def zigzag(payload: bytes):
    """Decodes signed variable-length integers: seven bits per byte, or eight in the ninth, with the lowest bits first."""
    at = 0
    while at < len(payload):
        raw = shift = 0
        while True:
            byte = payload[at]
            at += 1
            if shift == 56:
                raw |= byte << shift
                break
            raw |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        yield (raw >> 1) ^ -(raw & 1)
