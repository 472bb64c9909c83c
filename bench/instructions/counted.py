"""Builds the benches of all crates and counts the instructions of each operation."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from common.failure import Failure
from common.machine import cpu_name
from common.place import ROOT
from common.process import complain

CRATES = ["wire", "delivery", "stats", "script", "engine"]
FEATURES = "engine/counted"
TARGET = "operations"

FEW = 100
"""Number of warm-up calls. After them, caches are filled, and entries with a limited lifetime have expired."""
MANY = 300
"""Number of additional calls. Only the instructions of these calls are counted, so start and preparation add nothing."""

COLLECTED = re.compile(r"Collected : (\d+)")
LIMIT_S = 600

NOTHING = 2_000_000_000
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "GLIBC_TUNABLES": f"glibc.cpu.x86_rep_movsb_threshold={NOTHING}:glibc.cpu.x86_rep_stosb_threshold={NOTHING}",
}
"""The complete environment. Its size moves the stack, which changes the cost of copies. Large blocks are copied with vector
instructions like small ones, because callgrind counts `rep movsb` once per byte."""


@dataclass(frozen=True)
class Operation:
    """One operation in a crate's bench."""

    program: Path
    crate: str
    words: str
    """The name of the operation in the bench."""
    per_call: int
    """The number of operations per call."""

    @property
    def name(self) -> str:
        return f"{self.crate}: {self.words}"


@dataclass(frozen=True)
class Toolchain:
    """Returns the versions of the tools that affect every count."""

    rustc: str
    valgrind: str
    cpu: str
    """Returns the processor, because some code checks its features."""

    def described(self) -> dict[str, str]:
        return {"rustc": self.rustc, "valgrind": self.valgrind, "cpu": self.cpu}


def toolchain() -> Toolchain:
    if shutil.which("valgrind") is None:
        raise Failure("needs valgrind (package valgrind)")
    valgrind = said(["valgrind", "--version"]).removeprefix("valgrind-").strip()
    return Toolchain(said(["rustc", "--version"]).split()[1], valgrind, cpu_name())


def operations() -> list[Operation]:
    """Returns all operations in the order of their benches. Builds the benches if necessary."""
    complain("building the benches (cargo bench --no-run) unless they are up to date")
    crates = [word for crate in CRATES for word in ("-p", crate)]
    command = ["cargo", "bench", "--locked", "-q", "--no-run", "--message-format=json", *crates, "--features", FEATURES]
    command += ["--bench", TARGET]
    built = [json.loads(line) for line in said(command, limit_s=3600).splitlines()]
    programs = {
        Path(one["target"]["src_path"]).parent.parent.name: Path(one["executable"])
        for one in built
        if one["reason"] == "compiler-artifact" and one["target"]["name"] == TARGET
    }
    return [operation for crate in CRATES for operation in operations_of(programs[crate], crate)]


def operations_of(program: Path, crate: str) -> list[Operation]:
    lines = (line.split("\t", 1) for line in said([program, "names"]).splitlines())
    return [Operation(program, crate, words, int(per_call)) for per_call, words in lines]


def counted(operation: Operation) -> float:
    """Returns the number of instructions of one operation."""
    return (collected(operation, MANY) - collected(operation, FEW)) / (MANY - FEW) / operation.per_call


def collected(operation: Operation, calls: int) -> int:
    """Returns the number of instructions of a program that makes only this number of calls."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [str(operation.program), "times", str(calls), operation.words]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=ENVIRONMENT)
    except (OSError, subprocess.SubprocessError) as error:
        raise Failure(f"{operation.name}: {error}") from error
    found = COLLECTED.search(ran.stderr)
    if ran.returncode or found is None:
        raise Failure(f"{operation.name} failed under callgrind: {ran.stderr[-2000:]}")
    return int(found.group(1))


def said(command: list, limit_s: float = 60) -> str:
    try:
        ran = subprocess.run(list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=limit_s)
    except (OSError, subprocess.SubprocessError) as error:
        raise Failure(f"{' '.join(map(str, command))}: {error}") from error
    return ran.stdout
