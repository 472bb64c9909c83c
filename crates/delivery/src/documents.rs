use memchr::{memchr, memchr2};

use crate::json::Scan;

/// The byte that ends a record in the JSON protocol of `SignalR` and begins a record in RFC 7464.
pub const RECORD_SEPARATOR: u8 = 0x1e;

/// How JSON documents are packed into messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Recognises a single document, several documents separated by newlines or record separators, and a `SockJS` frame
    /// `a["…","…"]`. Any other message is one document, unchanged.
    #[default]
    Auto,
    /// Each message is one document.
    Whole,
    /// Each element of a top-level array is a document. Messages without such an array are read as in `Auto`.
    Array,
    /// Each document ends with this byte and may continue in the next message. Objects and arrays that a message contains
    /// whole are documents without this byte too: some servers leave it out at the end, or use another one.
    EndedBy(u8),
}

/// Error: a document that spans several messages exceeds the size limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Maximum size in bytes.
    pub limit: usize,
}

/// Extracts the documents from the messages that one socket receives.
#[derive(Debug, Default)]
pub struct Documents {
    framing: Framing,
    /// The beginning of a document that is not complete yet.
    part: Vec<u8>,
    limit: usize,
}

impl Documents {
    /// `limit` is the maximum size in bytes of a document that spans several messages.
    pub fn new(framing: Framing, limit: usize) -> Self {
        Self {
            framing,
            part: Vec::new(),
            limit,
        }
    }

    /// Whether the whole message is one document, as nearly every message is. The check is cheap, so call it before
    /// [`Documents::each`].
    pub fn is_one(&self, message: &[u8]) -> bool {
        match self.framing {
            Framing::Whole => true,
            Framing::Array | Framing::EndedBy(_) => false,
            // JSON strings cannot contain these bytes unescaped, so the only single documents that take the slow path
            // are pretty-printed.
            Framing::Auto => match message {
                [b'{' | b'[', ..] => memchr2(b'\n', RECORD_SEPARATOR, message).is_none(),
                [b'a', b'[', ..] => false,
                [first, ..] => !is_between(*first),
                [] => true,
            },
        }
    }

    /// Calls `document` for each document that ends in this message, without the separators.
    pub fn each(&mut self, message: &[u8], mut document: impl FnMut(&[u8])) -> Result<(), TooLong> {
        match self.framing {
            Framing::EndedBy(end) => return self.ended_by(end, message, document),
            Framing::Whole => document(message),
            Framing::Array if Elements::new(message, b"[").are_all(|_| true) => {
                Elements::new(message, b"[").flatten().for_each(document);
            }
            Framing::Auto | Framing::Array => automatic(message, &mut document),
        }
        Ok(())
    }

    fn ended_by(
        &mut self,
        end: u8,
        message: &[u8],
        mut document: impl FnMut(&[u8]),
    ) -> Result<(), TooLong> {
        let mut rest = message;
        while let Some(at) = memchr(end, rest) {
            let last = &rest[..at];
            rest = &rest[at + 1..];
            self.lengthen(last)?;
            let whole = std::mem::take(&mut self.part);
            let whole = whole.trim_ascii();
            if !whole.is_empty() {
                document(whole);
            }
        }
        if self.part.is_empty() && is_sequence(rest) {
            Sequence::of(rest).flatten().for_each(document);
            return Ok(());
        }
        self.lengthen(rest)
    }

    fn lengthen(&mut self, more: &[u8]) -> Result<(), TooLong> {
        if more.len() > self.limit.saturating_sub(self.part.len()) {
            return Err(TooLong { limit: self.limit });
        }
        self.part.extend_from_slice(more);
        Ok(())
    }
}

/// The elements of a message that is an array of objects. `None` for any other message, and for an empty array.
///
/// [`Framing::Auto`] does not split such a message: it may be a batch of messages, or one message such as a list of old
/// ones.
pub fn objects_in_array(message: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let elements = || Elements::new(message, b"[");
    let is_batch =
        elements().next().is_some() && elements().are_all(|element| element.first() == Some(&b'{'));
    is_batch.then(|| elements().flatten())
}

fn automatic(message: &[u8], document: &mut impl FnMut(&[u8])) {
    // Checks the whole message before returning any document, so that text that only begins like documents is not
    // split.
    if is_sequence(message) {
        Sequence::of(message).flatten().for_each(document);
    } else if Elements::new(message, b"a[").are_all(|element| element.first() == Some(&b'"')) {
        for quoted in Elements::new(message, b"a[").flatten() {
            match serde_json::from_slice::<String>(quoted) {
                Ok(text) => document(text.as_bytes()),
                Err(_) => document(quoted),
            }
        }
    } else {
        document(message);
    }
}

/// The byte that separates the documents of a message, if the message begins or ends within one of them. `None` if all
/// of its documents are whole, or if it contains no whole document.
pub fn separator_of_cut_documents(message: &[u8]) -> Option<u8> {
    let mut separators = [RECORD_SEPARATOR, b'\n'].into_iter();
    let separator = separators.find(|byte| memchr(*byte, message).is_some())?;
    let parts = message.split(|byte| *byte == separator);
    let parts = parts.map(<[u8]>::trim_ascii);
    let parts: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
    let (last, others) = parts.split_last()?;
    let (first, inner) = others.split_first()?;
    let (begins, ends) = (is_sequence(first), is_sequence(last));
    let is_end = begins || matches!(first.last(), Some(b'}' | b']'));
    let is_begin = ends || matches!(last.first(), Some(b'{' | b'['));
    let has_whole = begins || ends || !inner.is_empty();
    let is_cut = !(begins && ends) && inner.iter().all(|part| is_sequence(part));
    // One document that is printed on several lines has no separators.
    (has_whole && is_cut && is_end && is_begin && !is_sequence(message)).then_some(separator)
}

/// Whether the message consists of objects and arrays, and nothing else.
fn is_sequence(message: &[u8]) -> bool {
    let mut documents = Sequence::of(message).peekable();
    documents.peek().is_some() && documents.all(|one| one.is_ok())
}

/// Whether the byte may occur between two documents.
fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | RECORD_SEPARATOR)
}

/// Error: the message does not have the expected form.
#[derive(Debug)]
struct Otherwise;

/// Iterates over objects and arrays that are each followed by a newline, a record separator or the end of the message.
struct Sequence<'a> {
    scan: Scan<'a>,
}

impl<'a> Sequence<'a> {
    fn of(message: &'a [u8]) -> Self {
        Self {
            scan: Scan::of(message),
        }
    }

    fn document(&mut self) -> Option<&'a [u8]> {
        if !matches!(self.scan.peek(), Some(b'{' | b'[')) {
            return None;
        }
        let document = self.scan.value()?;
        while matches!(self.scan.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.scan.at += 1;
        }
        matches!(self.scan.peek(), None | Some(b'\n' | RECORD_SEPARATOR)).then_some(document)
    }
}

impl<'a> Iterator for Sequence<'a> {
    type Item = Result<&'a [u8], Otherwise>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.scan.peek().is_some_and(is_between) {
            self.scan.at += 1;
        }
        self.scan.peek()?;
        let document = self.document().ok_or(Otherwise);
        if document.is_err() {
            self.scan.at = usize::MAX; // ends the iteration: there is no byte at this position
        }
        Some(document)
    }
}

/// Iterates over the elements of an array that begins with given bytes and fills the whole message.
struct Elements<'a> {
    scan: Scan<'a>,
    state: Within,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Before,
    Between,
    Behind,
}

impl<'a> Elements<'a> {
    fn new(message: &'a [u8], begins: &[u8]) -> Self {
        let within = message.trim_ascii().strip_prefix(begins);
        Self {
            scan: Scan::of(within.unwrap_or(b"")),
            state: Within::Before,
        }
    }

    fn are_all(mut self, fits: impl Fn(&[u8]) -> bool) -> bool {
        self.all(|element| element.is_ok_and(&fits))
    }

    /// Returns the next element, `None` at the end of the array, or an error if the message is not such an array.
    fn element(&mut self) -> Option<Result<&'a [u8], Otherwise>> {
        self.scan.skip_space();
        let Some(next) = self.scan.peek() else {
            return Some(Err(Otherwise));
        };
        if next == b']' {
            self.scan.at += 1;
            return self.scan.peek().is_some().then_some(Err(Otherwise));
        }
        if self.state == Within::Between {
            if self.scan.expect(b',').is_none() {
                return Some(Err(Otherwise));
            }
            self.scan.skip_space();
        }
        self.state = Within::Between;
        Some(self.scan.value().ok_or(Otherwise))
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Result<&'a [u8], Otherwise>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == Within::Behind {
            return None;
        }
        let element = self.element();
        if !matches!(element, Some(Ok(_))) {
            self.state = Within::Behind;
        }
        element
    }
}

#[cfg(test)]
#[path = "documents_tests.rs"]
mod tests;
