use std::sync::Arc;

use axum::Router;
use kit::serve::Connections;
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

use crate::editor::Editor;

/// What is asked of every system; every other path is the page's.
pub(super) fn router(editor: &Arc<Editor>, connections: &Connections) -> Router {
    let mut registry = Registry::default();
    editor.counters.register(&mut registry);
    connections.register(&mut registry);
    let (asked, connections) = (editor.clone(), connections.clone());
    let health = move || health(&asked, &connections);
    kit::metrics::routes(
        registry,
        editor.faults.clone(),
        env!("CARGO_PKG_VERSION"),
        health,
    )
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
