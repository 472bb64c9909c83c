//! The client side of Redis' protocol RESP3. Replies are parsed in the read buffer: a value borrows from
//! it, and the elements of an aggregate are parsed when they are read. So an idle connection holds no buffer.
//!
//! A command is an array of blob strings. Each part of a reply begins with a letter for its type and ends with CR LF:
//!
//! | type | form | type | form |
//! |---|---|---|---|
//! | simple string | `+text` | array | `*count`, then the elements |
//! | simple error | `-CODE text` | set | `~count`, then the elements |
//! | integer | `:number` | map | `%count`, then keys and values |
//! | double | `,number`, `,inf`, `,nan` | attributes | `\|count`, then keys and values, before any value |
//! | big number | `(number` | push | `>count`, then its kind and other elements |
//! | boolean | `#t`, `#f` | streamed aggregate | `*?`, `~?`, `%?`, the elements, then `.` |
//! | null | `_`, `$-1`, `*-1` | streamed string | `$?`, then `;size` and the bytes, …, `;0` |
//! | blob string | `$size`, then the bytes | blob error | `!size`, then code and text |
//! | verbatim string | `=size`, then `txt:` and text | | |
//!
//! Replies arrive in the order of the commands. Pushes, such as published messages, arrive between them. [`Session`]
//! tells them apart, and begins with `HELLO`. [`Connection`] adds the stream. A node of a cluster redirects commands for
//! keys of other nodes ([`Redirect`]); [`slot`] computes the slot of a key, and [`SlotMap`] knows the node of a slot.
//! This module never reconnects, never follows a redirect itself, and does not know which arguments of a command are
//! keys.
//!
//! Sources: the RESP3 specification (`redis/redis-specifications`, `protocol/RESP3.md`); the serialization protocol and
//! the cluster specification of redis.io.

mod command;
mod connection;
mod encode;
mod error;
mod hello;
mod items;
mod parser;
mod scan;
mod session;
mod slot;
mod slot_map;
mod token;
mod value;

pub use connection::Connection;
pub use encode::encode_command;
pub use error::{ErrorReply, Redirect, RedirectKind};
pub use hello::{Hello, Login};
pub use parser::Parser;
pub use session::{Session, Signal};
pub use slot::{SLOTS, slot};
pub use slot_map::{MOST_NODES, Node, SlotMap, too_many_nodes};
pub use value::{Chunks, Items, Reply, Value};

use crate::scheme::Scheme;

const PORT: u16 = 6379;

pub(crate) const SCHEMES: &[Scheme] = &[
    Scheme::new("redis", PORT, false),
    Scheme::new("rediss", PORT, true),
];
