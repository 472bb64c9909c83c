use super::token::{self, Aggregate, Step, Token};
use super::value::{Chunks, Count, Items, Reply, Value};

impl<'a> Items<'a> {
    /// Elements of an aggregate that a scanner has accepted. `bytes` begins with the first element.
    fn new(bytes: &'a [u8], count: Count) -> Self {
        Self { bytes, count }
    }

    /// The number of elements left; keys and values of a map count separately. `None` if the server did not announce it.
    pub fn count_left(&self) -> Option<usize> {
        match self.count {
            Count::Known(count) => Some(count as usize),
            Count::Streamed => None,
        }
    }

    /// The first element, and the elements after it.
    pub fn split_first(self) -> Option<(Reply<'a>, Self)> {
        let count = match self.count {
            Count::Known(count) => Count::Known(count.checked_sub(1)?),
            Count::Streamed => Count::Streamed,
        };
        let (first, rest) = take(self.bytes, false)?;
        Some((first, Self::new(rest, count)))
    }

    /// The elements.
    pub fn elements(self) -> impl Iterator<Item = Reply<'a>> {
        let mut left = self;
        std::iter::from_fn(move || {
            let (first, rest) = left.split_first()?;
            left = rest;
            Some(first)
        })
    }

    /// The values of the elements, without their attributes.
    pub fn values(self) -> impl Iterator<Item = Value<'a>> {
        self.elements().map(|reply| reply.value)
    }

    /// Keys and values of a map or of attributes.
    pub fn pairs(self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> {
        let mut values = self.values();
        std::iter::from_fn(move || Some((values.next()?, values.next()?)))
    }

    /// The value of a key that is a string.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let mut pairs = self.pairs();
        pairs
            .find(|(found, _)| found.bytes() == Some(key.as_bytes()))
            .map(|(_, value)| value)
    }
}

impl<'a> Chunks<'a> {
    /// The chunks, none of them empty.
    pub fn parts(self) -> impl Iterator<Item = &'a [u8]> {
        let mut left = self.bytes;
        std::iter::from_fn(move || {
            let (Token::Chunk(chunk @ [_, ..]), rest) = next_token(left)? else {
                return None;
            };
            left = rest;
            Some(chunk)
        })
    }
}

/// Reads a whole reply that a scanner has accepted.
pub(super) fn whole(bytes: &[u8]) -> Option<Reply<'_>> {
    take(bytes, true).map(|(reply, _)| reply)
}

/// Reads one element. Returns it and the bytes after it; `None` at the end of a streamed aggregate. The end of the last
/// value of `bytes` needs no search.
#[inline]
fn take(bytes: &[u8], is_last: bool) -> Option<(Reply<'_>, &[u8])> {
    let (mut token, mut rest) = next_token(bytes)?;
    let mut attributes = None;
    if let Token::Attributes(count) = token {
        let behind = skip(rest, Count::Known(count))?;
        attributes = Some(Items::new(before(rest, behind), Count::Known(count)));
        (token, rest) = next_token(behind)?;
    }
    let (value, behind) = match token {
        Token::Scalar(value) => (value, rest),
        Token::Chunked => {
            let behind = skip_chunks(rest)?;
            let bytes = before(rest, behind);
            (Value::Chunked(Chunks { bytes }), behind)
        }
        Token::Aggregate(kind, count) => {
            let behind = if is_last { &[][..] } else { skip(rest, count)? };
            let items = Items::new(before(rest, behind), count);
            let value = match kind {
                Aggregate::Array => Value::Array(items),
                Aggregate::Set => Value::Set(items),
                Aggregate::Map => Value::Map(items),
                Aggregate::Push => Value::Push(items),
            };
            (value, behind)
        }
        Token::Attributes(_) | Token::Chunk(_) | Token::End => return None,
    };
    Some((Reply { attributes, value }, behind))
}

/// Skips the elements of an aggregate. Recurses only into streamed aggregates, as deep as the scanner allows.
fn skip(bytes: &[u8], count: Count) -> Option<&[u8]> {
    let mut rest = bytes;
    let Count::Known(count) = count else {
        loop {
            let (token, behind) = next_token(rest)?;
            rest = match token {
                Token::End => return Some(behind),
                _ => skip(rest, Count::Known(1))?,
            };
        }
    };
    let mut left = u64::from(count);
    while left > 0 {
        let (token, behind) = next_token(rest)?;
        rest = behind;
        match token {
            Token::Attributes(count) => left += u64::from(count),
            Token::Aggregate(_, Count::Known(count)) => left = left + u64::from(count) - 1,
            Token::Aggregate(_, Count::Streamed) => {
                rest = skip(rest, Count::Streamed)?;
                left -= 1;
            }
            Token::Chunked => {
                rest = skip_chunks(rest)?;
                left -= 1;
            }
            Token::Scalar(_) => left -= 1,
            Token::Chunk(_) | Token::End => return None,
        }
    }
    Some(rest)
}

fn skip_chunks(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    loop {
        let (token, behind) = next_token(rest)?;
        rest = behind;
        match token {
            Token::Chunk([]) => return Some(rest),
            Token::Chunk(_) => {}
            _ => return None,
        }
    }
}

/// The part of `bytes` before `rest`, which is its end.
fn before<'a>(bytes: &'a [u8], rest: &[u8]) -> &'a [u8] {
    &bytes[..bytes.len() - rest.len()]
}

fn next_token(bytes: &[u8]) -> Option<(Token<'_>, &[u8])> {
    match token::read(bytes, 0, usize::MAX) {
        Ok(Step::Token(token, end)) => Some((token, &bytes[end..])),
        Ok(Step::Lacks(_)) | Err(_) => None,
    }
}
