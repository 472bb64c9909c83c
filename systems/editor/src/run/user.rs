/// The user ID of the sandbox if the server runs as root. Under root, `RLIMIT_NPROC` would not apply, and the program
/// would own root's files.
pub(super) const NOBODY: u32 = 65534;
