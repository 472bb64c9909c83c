//! `/page.json`: the settings of this server that the page needs.

use std::sync::Arc;

use axum::Json;
use axum::http::HeaderMap;
use kit::origin::Origins;
use serde::Serialize;

use crate::editor::Editor;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    /// The names of the languages that can be run, as clients send them. `None` if running code is not possible.
    languages: Option<Vec<&'static str>>,
    /// Maximum time from requesting a run to its result, in milliseconds.
    longest_run: u64,
    /// Maximum size of a document's text, in bytes.
    max_document: u32,
    /// Maximum size of a message, in bytes.
    max_message: u32,
    /// Whether the page may open a WebSocket to the host from which it was loaded.
    may_connect: bool,
}

pub(super) async fn about(
    editor: Arc<Editor>,
    origins: Origins,
    headers: HeaderMap,
) -> Json<About> {
    let runnable = editor.runnable().await.ok();
    let longest = runnable.as_ref().map(|runnable| runnable.longest);
    Json(About {
        languages: runnable.map(|runnable| runnable.languages),
        longest_run: longest
            .unwrap_or_default()
            .as_millis()
            .try_into()
            .unwrap_or(u64::MAX),
        max_document: editor.limits.max_document,
        max_message: editor.limits.max_message,
        may_connect: origins.admit_own_page(&headers),
    })
}
