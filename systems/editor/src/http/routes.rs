use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use kit::origin::Origins;
use kit::serve::Connections;
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

use super::about::about;
use crate::editor::Editor;
use crate::page::page;

/// Builds the routes that every system has, and `/page.json`. All other paths belong to the page.
pub(super) fn router(editor: &Arc<Editor>, connections: &Connections, origins: &Origins) -> Router {
    let mut registry = Registry::default();
    editor.counters.register(&mut registry);
    connections.register(&mut registry);
    let (asked, connections) = (editor.clone(), connections.clone());
    let health = move || health(&asked, &connections);
    let faults = editor.faults.clone();
    let common = kit::metrics::routes(registry, faults, env!("CARGO_PKG_VERSION"), health);
    let (editor, origins) = (editor.clone(), origins.clone());
    let about = move |headers| about(editor.clone(), origins.clone(), headers);
    let common = common.route("/page.json", get(about));
    common.fallback(page).method_not_allowed_fallback(page)
}

fn health(editor: &Editor, connections: &Connections) -> Map<String, Value> {
    let facts = [
        ("rooms", Value::from(editor.counters.rooms.get())),
        ("clients", Value::from(editor.counters.visits.get())),
        ("lines", Value::from(editor.lines.count())),
        ("connections", Value::from(connections.open())),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    facts.into_iter().collect()
}
