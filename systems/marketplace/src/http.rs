//! The HTTP side. An operation says in one place what it is called, where it is, who may do it and what
//! it reads and answers ([`Route`], [`Write`], [`Read`]); routing, checking and the `OpenAPI` description
//! are made of that, so that they cannot contradict each other.

mod answer;
mod caller;
mod describe;
mod door;
mod input;
mod operation;
mod route;
mod routes;
mod system;

pub(crate) use crate::market::Market;
pub use door::DoorConfig;
pub(crate) use door::{Door, DoorError};
pub(crate) use input::{Empty, NoQuery, PageQuery};
pub(crate) use operation::{Read, Write};
pub(crate) use route::{Access, Route};
pub(crate) use routes::router;

/// What every request is handed.
pub(crate) type Shared = std::sync::Arc<Market>;
