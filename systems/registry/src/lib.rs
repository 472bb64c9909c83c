//! Registry is a service in which identities register with metadata and a time to live. Filters find them by their
//! metadata, and multicast messages reach all receivers that a filter finds. The service rebuilds the multicast registry
//! of the second field report.
//!
//! [`serve`] runs the service until a stop is requested. `README.md` lists routes, messages and configuration. Start
//! reading at `registration` and `filter`. Continue with `view` (the registrations in memory), `multicast` and `mailbox`
//! (the way of a message), and end at `embedded` and `shared` (the two backends).
//!
//! The result of a delivery never says more than is known: only an acknowledgement of the receiver is a receipt. A slow
//! receiver fills only its own queue. The crate shares no code with the load tester.

mod backend;
mod config;
mod embedded;
mod enumerate;
mod filter;
mod handover;
mod http;
mod hub;
mod inbox;
mod limits;
mod mailbox;
mod message;
mod metrics;
mod multicast;
mod name;
mod refusal;
mod registration;
mod registry;
mod serve;
mod shared;
mod shared_value;
mod size;
mod store;
mod sweep;
mod tenant;
mod time;
mod tracking;
mod view;

pub use config::{BackendConfig, Config, ConfigError, DeliveryConfig};
pub use limits::Limits;
pub use serve::{PORT, ServeError, serve};
pub use shared::SharedError;
pub use store::StoreError;
