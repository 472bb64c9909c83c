use std::io::{self, IsTerminal as _, Read, Write as _};

/// A reader that shows its progress on the terminal if the input is a large file or a pipe.
pub(crate) struct Reading<R> {
    inner: R,
    name: String,
    /// Size in bytes. `None` for a pipe, whose length is unknown.
    size: Option<u64>,
    read: u64,
    /// Number of steps shown so far. `None` if stderr is not a terminal, or if the file is small.
    told: Option<u64>,
}

/// Size in bytes from which progress is shown. Smaller files are read too quickly to need it.
const LARGE: u64 = 1 << 27;

impl<R> Reading<R> {
    pub(crate) fn new(inner: R, name: &str, size: Option<u64>) -> Self {
        let shown = size.is_none_or(|size| size >= LARGE) && io::stderr().is_terminal();
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
        let Some(told) = self.told else {
            return Ok(count);
        };
        let (step, words) = progress(self.read, self.size);
        // If writing to stderr fails, the error cannot be reported anywhere.
        if count == 0 {
            self.told = None;
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        } else if step > told {
            self.told = Some(step);
            let _ = write!(io::stderr(), "\r{}: {words} read", self.name);
        }
        Ok(count)
    }
}

/// Returns the number of the current step and its text. A step is a hundredth of a file, or `LARGE` bytes of a pipe.
fn progress(read: u64, size: Option<u64>) -> (u64, String) {
    if let Some(size) = size {
        let hundredths = (read.saturating_mul(100) / size.max(1)).min(100);
        (hundredths, format!("{hundredths} %"))
    } else {
        (read / LARGE, format!("{} MiB", read >> 20))
    }
}

#[cfg(test)]
mod tests {
    use super::progress;

    #[test]
    fn a_file_is_told_in_hundredths_and_a_pipe_in_what_was_read() {
        assert_eq!(progress(5, Some(10)), (50, "50 %".to_owned()));
        assert_eq!(progress(20, Some(10)).0, 100, "it grew meanwhile");
        assert_eq!(progress(1, Some(0)).0, 100);
        assert_eq!(progress(1 << 20, None), (0, "1 MiB".to_owned()));
        assert_eq!(progress(300 << 20, None), (2, "300 MiB".to_owned()));
    }
}
