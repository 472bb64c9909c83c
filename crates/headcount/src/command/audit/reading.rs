use std::io::{self, IsTerminal as _, Read, Write as _};

/// A large file that tells on the terminal how much of it has been read.
pub(crate) struct Reading<R> {
    inner: R,
    name: String,
    size: u64,
    read: u64,
    /// How many hundredths were told; `None` where nobody looks, or the file is small.
    told: Option<u64>,
}

/// Smaller files are read before anybody asks.
const LARGE: u64 = 1 << 27;

impl<R> Reading<R> {
    pub(crate) fn new(inner: R, name: &str, size: u64) -> Self {
        let shown = size >= LARGE && io::stderr().is_terminal();
        Self {
            inner,
            name: name.to_owned(),
            size,
            read: 0,
            told: shown.then_some(0),
        }
    }
}

impl<R: Read> Read for Reading<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        let hundredths = (self.read * 100 / self.size.max(1)).min(100);
        // Nowhere left to complain.
        if count == 0 && self.told.take().is_some() {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        } else if self.told.is_some_and(|told| hundredths > told) {
            self.told = Some(hundredths);
            let _ = write!(io::stderr(), "\r{}: {hundredths} % read", self.name);
        }
        Ok(count)
    }
}
