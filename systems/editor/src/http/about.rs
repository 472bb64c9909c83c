//! What the page must know of this server: `/page.json`.

use std::sync::Arc;

use axum::Json;
use axum::http::HeaderMap;
use kit::origin::Origins;
use serde::Serialize;

use crate::editor::Editor;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    /// What can be run, by the names that clients send; nothing where no code can be run.
    languages: Option<Vec<&'static str>>,
    /// From asking for a run to its answer, at most; milliseconds.
    longest_run: u64,
    /// Bytes of a document, at most.
    max_document: u32,
    /// Bytes of a message, at most.
    max_message: u32,
    /// Whether the page may open a line at the host where it is open now.
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
