//! Hand-made records.

pub(crate) mod parts;
pub(crate) mod runs;
pub(crate) mod targets;
