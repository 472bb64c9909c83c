//! The payloads as clients send them. What is passed on is kept as it was written.

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
    /// Not in the original: `false` for one who follows the document by Yjs and wants no texts.
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

/// Where a caret is, from 0.
#[derive(Debug, Deserialize)]
#[expect(
    dead_code,
    reason = "read to see that it is there; passed on as it was written"
)]
pub(super) struct Caret {
    line: u64,
    ch: u64,
}

/// A text within the JSON that holds it.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a> {
    #[serde(borrow)]
    pub(super) text: Cow<'a, str>,
}

fn yes() -> bool {
    true
}
