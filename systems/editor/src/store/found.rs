use super::background::in_background;
use super::error::StoreError;
use super::log::Log;
use super::pack;
use crate::document::Document;

/// Maximum size in bytes of a log that is applied on the async thread. A longer log is applied on a blocking thread,
/// because applying many edits at one place takes a while.
const INLINE: usize = 1 << 12;

/// The document of a room, loaded from its log.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) document: Document,
    /// The ids of the log's rows, oldest first.
    pub(super) ids: Vec<i64>,
    /// Size of all rows in bytes.
    pub(super) bytes: usize,
    /// Number of invalid updates, which the document does not contain.
    pub(crate) broken: usize,
}

impl Log {
    /// Loads the document of a room. Reads its log one page of rows at a time.
    pub(crate) async fn load(&self, room: &str) -> Result<Found, StoreError> {
        let mut found = Found::default();
        let mut last = 0;
        loop {
            let page = self.page(room, last).await?;
            let Some((id, _)) = page.last() else {
                return Ok(found);
            };
            last = *id;
            let bytes: usize = page.iter().map(|(_, row)| row.len()).sum();
            if bytes <= INLINE {
                found.take(page);
                continue;
            }
            let taken = in_background(move || {
                found.take(page);
                found
            });
            found = taken
                .await
                .map_err(|_| StoreError::Broken(room.to_owned()))?;
        }
    }
}

impl Found {
    fn take(&mut self, page: Vec<(i64, Vec<u8>)>) {
        for (id, row) in page {
            self.ids.push(id);
            self.bytes += row.len();
            for update in pack::updates(&row) {
                if self.document.load(update).is_err() {
                    self.broken += 1;
                }
            }
        }
    }
}
