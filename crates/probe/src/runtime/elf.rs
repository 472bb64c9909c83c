//! Marks that compilers write into programs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use object::read::ReadCache;
use object::{Object, ObjectSection};

use super::Runtime;

/// Maximum number of bytes of a section to search, so that large programs do not take long.
const MOST: u64 = 64 << 20;
const CHUNK: usize = 1 << 20;
/// Overlap of two chunks: longer than any mark, so that a mark across two chunks is found.
const OVERLAP: usize = 128;

/// The beginning of Go's build information. The pointer size and flags follow. The length of the version is at byte 32,
/// followed by the version (`debug/buildinfo`; since Go 1.18).
const GO_MAGIC: &[u8] = b"\xff Go buildinf:";

/// The file of a program.
pub(super) struct Program {
    file: File,
    /// Name, offset and size of its sections.
    sections: Vec<(String, u64, u64)>,
}

impl Program {
    /// Opens a file. `None` if it cannot be read or is not an ELF file.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let cache = ReadCache::new(file.try_clone().ok()?);
        let parsed = object::File::parse(&cache).ok()?;
        let sections = parsed.sections().filter_map(|section| {
            let (at, size) = section.file_range()?;
            Some((section.name().ok()?.to_owned(), at, size))
        });
        let sections = sections.collect();
        Some(Self { file, sections })
    }

    /// The language of the compiler, if it left a mark.
    pub(super) fn built_by(&self) -> Option<Runtime> {
        if let Some(start) = self.start_of(".go.buildinfo", 256) {
            return Some(Runtime {
                name: "Go",
                version: go_version(&start),
            });
        }
        let comment = self.start_of(".comment", 4096).unwrap_or_default();
        let version = rust_version(&comment);
        // If the comment was stripped, panic messages of Rust's standard library still contain its source paths.
        if version.is_some() || self.contains(".rodata", b"/library/std/src/") {
            return Some(Runtime {
                name: "Rust",
                version,
            });
        }
        None
    }

    fn section(&self, name: &str) -> Option<(u64, u64)> {
        let found = self.sections.iter().find(|(known, ..)| known == name);
        found.map(|(_, at, size)| (*at, *size))
    }

    fn start_of(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let (at, size) = self.section(name)?;
        let mut bytes = vec![0; usize::try_from(size.min(most)).ok()?];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    fn contains(&self, name: &str, mark: &[u8]) -> bool {
        let Some((start, size)) = self.section(name) else {
            return false;
        };
        let end = start.saturating_add(size.min(MOST));
        let finder = memchr::memmem::Finder::new(mark);
        let mut buffer = vec![0; CHUNK + OVERLAP];
        for at in (start..end).step_by(CHUNK) {
            let Ok(count) = self.file.read_at(&mut buffer, at) else {
                return false;
            };
            if finder.find(&buffer[..count]).is_some() {
                return true;
            }
        }
        false
    }
}

fn go_version(info: &[u8]) -> Option<String> {
    const INLINE: u8 = 2;
    let flags = *info.strip_prefix(GO_MAGIC)?.get(1)?;
    if flags & INLINE == 0 {
        return None;
    }
    let length = usize::from(*info.get(32)?);
    let text = std::str::from_utf8(info.get(33..33 + length)?).ok()?;
    // `go1.22.1`, possibly followed by a space and experiments
    let version = text.strip_prefix("go")?.split(' ').next()?;
    Some(version.to_owned())
}

/// The version in a text such as `rustc version 1.95.0 (59807616e 2026-04-14)`, one of several zero-terminated texts.
fn rust_version(comment: &[u8]) -> Option<String> {
    let mut texts = comment.split(|&byte| byte == 0);
    let text = texts.find_map(|text| text.strip_prefix(b"rustc version "))?;
    let version = std::str::from_utf8(text).ok()?.split(' ').next()?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn gos_version_is_read() {
        let mut info = [GO_MAGIC, &[8, 2]].concat();
        info.resize(32, 0);
        info.extend(b"\x08go1.22.1more");
        assert_eq!(go_version(&info).as_deref(), Some("1.22.1"));
        info[15] = 0;
        assert_eq!(go_version(&info), None, "an older shape");
    }

    #[test]
    fn rusts_version_is_read() {
        let comment = b"GCC: (Debian) 12\0rustc version 1.95.0 (59807616e 2026-04-14)\0";
        assert_eq!(rust_version(comment).as_deref(), Some("1.95.0"));
        assert_eq!(rust_version(b"GCC: (Debian) 12\0"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = go_version(&bytes);
            let _ = go_version(&[GO_MAGIC, &bytes].concat());
            let _ = rust_version(&bytes);
        }
    }
}
