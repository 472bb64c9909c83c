//! The payloads of events from clients. Values that are forwarded stay raw JSON, exactly as received.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Join<'a> {
    #[serde(borrow)]
    pub(super) room_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) username: Cow<'a, str>,
    /// `false` for a client that follows the document by Yjs and needs no `code-change` events. The original has no
    /// such field.
    #[serde(default = "yes")]
    pub(super) texts: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeChange<'a> {
    #[serde(borrow)]
    pub(super) room_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) code: &'a RawValue,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SyncCode<'a> {
    #[serde(borrow)]
    pub(super) socket_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) code: &'a RawValue,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunCode<'a> {
    #[serde(borrow)]
    pub(super) room_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) code: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) language: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CursorChange<'a> {
    #[serde(borrow)]
    pub(super) room_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) cursor: &'a RawValue,
    #[serde(borrow)]
    pub(super) username: &'a RawValue,
}

/// The position of a caret, counted from 0.
#[derive(Debug, Deserialize)]
#[expect(
    dead_code,
    reason = "parsed only for validation; the raw JSON is passed on"
)]
pub(super) struct Caret {
    line: u64,
    ch: u64,
}

/// A JSON string. Borrowed if it contains no escape sequences.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a> {
    #[serde(borrow)]
    pub(super) text: Cow<'a, str>,
}

fn yes() -> bool {
    true
}
