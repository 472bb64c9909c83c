use bytes::Bytes;

/// An encoded message between nodes.
pub(crate) type Letter = Bytes;
