/// Size of an allocation in bytes. Its pages use memory only when they are written to. Between smaller allocations
/// there would be gaps, which huge pages would fill with memory that no request leaked.
const CHUNK: usize = 64 << 20;

/// Memory that is leaked on purpose, up to a limit.
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

    /// Leaks this number of bytes. Returns `false` if that would exceed the limit. Writes to each byte; otherwise the
    /// operating system would only reserve the memory.
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
