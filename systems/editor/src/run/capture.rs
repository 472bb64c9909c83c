//! Captures one output stream of a program, up to a limit.

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

const PIECE: usize = 64 * 1024;

/// A task that reads until the end of the stream or until the limit is reached.
#[derive(Debug)]
pub(super) struct Capture(JoinHandle<Vec<u8>>);

impl Capture {
    /// Reads at most `most` bytes. If there is more, notifies `full` and stops reading, so that the program blocks in
    /// its write until it is stopped.
    pub(super) fn start(
        stream: impl AsyncRead + Send + Unpin + 'static,
        most: usize,
        full: mpsc::Sender<()>,
    ) -> Self {
        Self(tokio::spawn(read(stream, most, full)))
    }

    /// Waits for the end of the stream. Returns the captured text.
    pub(super) async fn text(self) -> String {
        let bytes = self.0.await.unwrap_or_default();
        text(&bytes)
    }
}

async fn read(mut stream: impl AsyncRead + Unpin, most: usize, full: mpsc::Sender<()>) -> Vec<u8> {
    let mut kept = Vec::new();
    loop {
        let room = most - kept.len();
        let before = kept.len();
        kept.reserve(room.min(PIECE) + 1);
        // Read one byte more than permitted, to detect whether there is more.
        let mut piece = (&mut stream).take(room.min(PIECE) as u64 + 1);
        match piece.read_buf(&mut kept).await {
            Ok(0) | Err(_) => return kept,
            Ok(_) if kept.len() > most => {
                kept.truncate(most);
                let _ = full.try_send(()); // one notification is enough
                return kept;
            }
            Ok(count) => debug_assert_eq!(kept.len(), before + count),
        }
    }
}

/// Converts bytes to text and replaces invalid bytes. An incomplete character at the end is left out.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn kept(stream: &'static [u8], most: usize) -> (String, bool) {
        let (full, mut filled) = mpsc::channel(2);
        let text = Capture::start(stream, most, full).text().await;
        (text, filled.recv().await.is_some())
    }

    #[tokio::test]
    async fn what_fits_exactly_is_not_too_long() {
        assert_eq!(kept(b"12345", 5).await, ("12345".to_owned(), false));
        assert_eq!(kept(b"123456", 5).await, ("12345".to_owned(), true));
        assert_eq!(kept(b"", 5).await, (String::new(), false));
    }

    #[tokio::test]
    async fn a_character_cut_in_two_is_left_out_and_bad_bytes_are_shown_as_such() {
        assert_eq!(kept("aé".as_bytes(), 2).await, ("a".to_owned(), true));
        assert_eq!(kept(b"a\xffb", 9).await, ("a\u{fffd}b".to_owned(), false));
    }

    #[tokio::test]
    async fn long_streams_are_kept_whole_up_to_the_limit() {
        let stream: &'static [u8] = vec![b'x'; 300_000].leak();
        assert_eq!(kept(stream, 300_000).await, ("x".repeat(300_000), false));
        assert_eq!(kept(stream, 299_999).await, ("x".repeat(299_999), true));
    }
}
