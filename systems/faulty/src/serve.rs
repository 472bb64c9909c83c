use std::io;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use kit::serve::{listen, stop_signal};
use serde_json::{Value, json};

use crate::cells::Cells;
use crate::config::Config;
use crate::log::Log;
use crate::order::Order;

/// Runs the server until SIGTERM or SIGINT. Calls `announce` with the address once the server listens.
pub fn serve(config: &Config, announce: impl FnOnce(&str) -> io::Result<()>) -> io::Result<()> {
    kit::serve::start(&config.log, 1, async {
        let stop = stop_signal()?;
        let (door, url) = listen(config.listen)?;
        let cells = Arc::new(Cells::new(door.local_addr()?.ip()));
        let routes = Router::new()
            .route("/healthz", get(async || Json(json!({ "ok": true }))))
            .route("/cells", post(open))
            .route("/cells/{number}", delete(close))
            .with_state(cells);
        announce(&url)?;
        tokio::select! {
            served = axum::serve(door, routes) => served,
            () = stop => Ok(()),
        }
    })?
}

async fn open(
    State(cells): State<Arc<Cells>>,
    Json(order): Json<Order>,
) -> Result<Json<Value>, StatusCode> {
    let opened = cells.open(order);
    let (number, port) = opened.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok(Json(json!({ "number": number, "port": port })))
}

async fn close(
    State(cells): State<Arc<Cells>>,
    Path(number): Path<u64>,
) -> Result<Json<Log>, StatusCode> {
    cells.close(number).map(Json).ok_or(StatusCode::NOT_FOUND)
}
