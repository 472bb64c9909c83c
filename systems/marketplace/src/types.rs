//! Types of input values. Each value is validated once, when it is parsed. Each type provides its own JSON schema.

mod email;
mod id;
mod money;
mod page;
mod password;
pub(crate) mod schema;
pub(crate) mod stored;
mod text;
mod time;
pub(crate) mod words;

pub(crate) use email::Email;
pub(crate) use id::Id;
pub(crate) use money::{Amount, Currency, Money};
pub(crate) use page::{Listing, PageSize};
pub(crate) use password::Password;
pub(crate) use text::Text;
pub(crate) use time::Time;
