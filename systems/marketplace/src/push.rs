//! Delivery of notifications through the list, streams (SSE and WebSocket), webhooks and Telegram. A stream reads the
//! list, so it shows the same notifications, each once and in order. Notifications for webhooks and Telegram are stored
//! in the transaction that they report, and sending is retried until they arrive.

mod config;
mod follow;
mod list;
mod sender;
mod socket;
mod stream;

pub use config::PushConfig;
pub(crate) use follow::StreamQuery;
pub(crate) use list::{ListNotifications, MarkRead};
pub(crate) use sender::{AddressError, Sender};
pub(crate) use socket::open as open_socket;
pub(crate) use stream::open as open_stream;
