//! Compiles Go's standard library. Go ships it only as source, and compiling it takes longer than a program's time
//! limit. Therefore it is compiled once, in a sandbox, before the first Go program. Programs only read the result.

use std::io;
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::limits::Limits;
use super::shown::Shown;
use super::user::NOBODY;

const CACHE: &str = "/go-cache";

/// Environment variables for Go in every sandbox.
pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    ("GOCACHE", CACHE),
    ("GOPATH", "/tmp/go"),
    ("GOFLAGS", "-trimpath"),
    ("GOTOOLCHAIN", "local"),
    ("GOTELEMETRY", "off"),
    ("GOPROXY", "off"),
    ("CGO_ENABLED", "0"),
];

/// The packages that typical programs import.
pub(super) const PROGRAM: &str = r#"package main

import (
	_ "bufio"
	_ "bytes"
	_ "encoding/json"
	_ "errors"
	_ "fmt"
	_ "io"
	_ "maps"
	_ "math"
	_ "math/rand"
	_ "os"
	_ "regexp"
	_ "slices"
	_ "sort"
	_ "strconv"
	_ "strings"
	_ "sync"
	_ "sync/atomic"
	_ "time"
	_ "unicode"
	_ "unicode/utf8"
)

func main() {}
"#;

/// Returns the limits for compiling the library, which are a program's limits with more time and space.
pub(super) fn limits(of_programs: &Limits) -> Limits {
    Limits {
        wall: Duration::from_mins(3),
        memory: 1 << 30,
        files: 256 << 20,
        ..of_programs.clone()
    }
}

/// The directory of the compiled library. Dropping this value deletes the directory.
#[derive(Debug)]
pub(super) struct Library(TempDir);

impl Library {
    /// Creates an empty directory to which the sandbox's user can write.
    pub(super) fn empty(as_root: bool) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("headcount-go-").tempdir()?;
        if as_root {
            chown(directory.path(), Some(NOBODY), Some(NOBODY))?;
        }
        Ok(Self(directory))
    }

    pub(super) fn shown(&self, writable: bool) -> Shown {
        Shown {
            host: PathBuf::from(self.0.path()),
            inside: CACHE,
            writable,
        }
    }
}
