/// Number of bytes requested from the operating system at once. They use memory only when they are written to. An
/// allocator leaves gaps between smaller pieces, and huge pages would fill the gaps with memory that nobody requested.
const CHUNK: usize = 64 << 20;

/// Memory that is kept forever, up to a limit.
#[derive(Debug)]
pub(crate) struct Leak {
    chunks: Vec<Vec<u8>>,
    left: u64,
}

impl Leak {
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            chunks: Vec::new(),
            left: limit,
        }
    }

    /// Keeps this number of further bytes. Returns `false` beyond the limit. Each byte is written to, because otherwise
    /// the operating system would only reserve the memory.
    pub(crate) fn keep(&mut self, bytes: u64) -> bool {
        let Some(left) = self.left.checked_sub(bytes) else {
            return false;
        };
        self.left = left;
        let mut rest = usize::try_from(bytes).unwrap_or(usize::MAX);
        while rest > 0 {
            let room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len();
            if self.chunks.last().is_none_or(|chunk| room(chunk) == 0) {
                self.chunks.push(Vec::with_capacity(CHUNK));
            }
            let Some(chunk) = self.chunks.last_mut() else {
                return false;
            };
            let part = rest.min(room(chunk));
            chunk.resize(chunk.len() + part, 0xA5);
            rest -= part;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_kept_until_the_limit() {
        let mut leak = Leak::new(20_000_000);
        assert!(leak.keep(1) && leak.keep(15_000_000));
        assert!(!leak.keep(5_000_000));
        let kept: usize = leak.chunks.iter().map(Vec::len).sum();
        assert_eq!(kept, 15_000_001);
    }
}
