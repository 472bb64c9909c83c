//! Limits on each program, and on the number of programs.

use std::path::PathBuf;
use std::time::Duration;

const MEBIBYTE: u64 = 1024 * 1024;

/// Limits on each program, and on the number of programs.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time limit, including the compiler.
    pub wall: Duration,
    /// Maximum size of the code, in bytes.
    pub code: usize,
    /// Maximum size of the standard output in bytes, and separately of the standard error.
    pub output: usize,
    /// Maximum memory of all processes of a program together, including its files, in bytes.
    pub memory: u64,
    /// Whether the kernel enforces the memory limit with a control group, if a group can be created. Otherwise memory
    /// is measured at short intervals, and every open socket counts with its maximum buffer.
    pub control_groups: bool,
    /// Maximum size of all files together, in bytes. The files are kept in memory.
    pub files: u64,
    /// Maximum number of processes and threads that a program may have at a time.
    pub processes: u32,
    /// Maximum number of open files per process.
    pub open_files: u32,
    /// Maximum number of programs that run at the same time.
    pub running: usize,
    /// Maximum number of waiting programs. Further programs are refused.
    pub waiting: usize,
    /// Directories of languages outside of `/usr`. Commands are also searched in their `bin`. Programs can read
    /// everything in these directories.
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
