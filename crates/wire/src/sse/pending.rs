use std::borrow::Cow;

use model::Fault;

use crate::fault::above_limit;

/// The name and the data of an event whose end has not arrived. Borrows from the read buffer until a second line of
/// data or the end of the read requires a copy.
#[derive(Debug, Default)]
pub(super) struct Pending<'a> {
    pub(super) name: Cow<'a, [u8]>,
    pub(super) data: Option<Cow<'a, [u8]>>,
}

impl<'a> Pending<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.name.is_empty() && self.data.is_none()
    }

    /// Adds a line of data. The line itself is within the limit.
    pub(super) fn add(&mut self, line: &'a [u8], limit: usize) -> Result<(), Fault> {
        match &mut self.data {
            None => self.data = Some(Cow::Borrowed(line)),
            Some(data) if data.len() + 1 + line.len() > limit => {
                return Err(above_limit("an event", limit));
            }
            Some(data) => {
                let data = data.to_mut();
                data.push(b'\n');
                data.extend_from_slice(line);
            }
        }
        Ok(())
    }

    /// Copies what is borrowed, so that the event outlives the read buffer.
    pub(super) fn into_owned(self) -> Pending<'static> {
        Pending {
            name: Cow::Owned(self.name.into_owned()),
            data: self.data.map(|data| Cow::Owned(data.into_owned())),
        }
    }
}
