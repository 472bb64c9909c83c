//! What one program may use, and how many programs there may be.

use std::path::PathBuf;
use std::time::Duration;

const MEBIBYTE: u64 = 1024 * 1024;

/// What one program may use, and how many programs there may be.
#[derive(Clone, Debug)]
pub struct Limits {
    /// From start to end, compiler included.
    pub wall: Duration,
    /// Bytes of code.
    pub code: usize,
    /// Bytes of the standard output, and as many again of the standard error.
    pub output: usize,
    /// Bytes of memory of all processes of a program together, its files included.
    pub memory: u64,
    /// Whether the kernel bounds this memory by a control group, where one can be made. Elsewhere it is looked at
    /// often, and every open socket counts with all that its buffer may hold.
    pub control_groups: bool,
    /// Bytes of files, all of which are in memory.
    pub files: u64,
    /// Processes and threads of a program at a time.
    pub processes: u32,
    /// Files that one process has open at a time.
    pub open_files: u32,
    /// Programs that run at the same time.
    pub running: usize,
    /// Programs that wait for their turn; the next one is refused.
    pub waiting: usize,
    /// Directories of languages that are not below `/usr`; their `bin` is searched too. Programs can
    /// read everything in them.
    pub toolchains: Vec<PathBuf>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(5),
            code: 1024 * 1024,
            output: 1024 * 1024,
            memory: 512 * MEBIBYTE,
            control_groups: true,
            files: 64 * MEBIBYTE,
            processes: 128,
            open_files: 256,
            running: 2,
            waiting: 16,
            toolchains: Vec::new(),
        }
    }
}
