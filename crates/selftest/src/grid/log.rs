//! The log of the faulty server.

use serde_json::Value;

/// Time in microseconds since the port was opened.
pub(crate) type Micros = u64;

#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) connections: Vec<Connection>,
    pub(crate) requests: Vec<Request>,
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) lag: Micros,
    pub(crate) ended: Micros,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Connection {
    pub(crate) gone: Option<Micros>,
    pub(crate) closed_here: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Request {
    /// Whether the request opens a WebSocket or a namespace.
    pub(crate) opens: bool,
    pub(crate) connection: usize,
    pub(crate) read: Micros,
    pub(crate) answered: Option<Micros>,
    pub(crate) ok: bool,
    pub(crate) gone: Option<Micros>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    pub(crate) message: u64,
    pub(crate) sender: usize,
    pub(crate) receiver: usize,
    pub(crate) read: Micros,
    pub(crate) written: Vec<Micros>,
    /// Copies sent to members of another room, each with the connection and the time of the write.
    pub(crate) strays: Vec<(usize, Micros)>,
}

impl Log {
    pub(crate) fn of(value: &Value) -> Self {
        let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        Self {
            connections: list("connections").iter().map(connection).collect(),
            requests: list("requests").iter().map(request).collect(),
            deliveries: list("deliveries").iter().map(delivery).collect(),
            lag: number(&value["lag_us"]),
            ended: number(&value["ended_us"]),
        }
    }

    /// Returns the time at which the first request or message arrived.
    pub(crate) fn first(&self) -> Micros {
        let requests = self.requests.iter().map(|request| request.read);
        let deliveries = self.deliveries.iter().map(|delivery| delivery.read);
        requests.chain(deliveries).min().unwrap_or(0)
    }

    /// Returns the time at which the client of `connection` left.
    pub(crate) fn left(&self, connection: usize) -> Micros {
        let known = self.connections.get(connection);
        known
            .and_then(|connection| connection.gone)
            .unwrap_or(self.ended)
    }

    pub(crate) fn closed_here(&self, connection: usize) -> bool {
        let known = self.connections.get(connection);
        known.is_some_and(|connection| connection.closed_here)
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn index(value: &Value) -> usize {
    usize::try_from(number(value)).unwrap_or(usize::MAX)
}

fn connection(value: &Value) -> Connection {
    Connection {
        gone: value["gone_us"].as_u64(),
        closed_here: value["closed_here"] == true,
    }
}

fn request(value: &Value) -> Request {
    Request {
        opens: value["of"] == "opening",
        connection: index(&value["connection"]),
        read: number(&value["read_us"]),
        answered: value["answered_us"].as_u64(),
        ok: value["ok"] == true,
        gone: value["gone_us"].as_u64(),
    }
}

fn delivery(value: &Value) -> Delivery {
    let written = value["written_us"].as_array().into_iter().flatten();
    let strays = value["strays"].as_array().into_iter().flatten();
    Delivery {
        message: number(&value["message"]),
        sender: index(&value["sender"]),
        receiver: index(&value["receiver"]),
        read: number(&value["read_us"]),
        written: written.map(number).collect(),
        strays: strays
            .map(|one| (index(&one["receiver"]), number(&one["written_us"])))
            .collect(),
    }
}
