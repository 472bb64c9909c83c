//! Accounts: registration, login, refresh and logout. Passwords are hashed before a transaction begins. A token is
//! returned only once; the database stores its hash.

mod admin;
mod config;
mod create;
mod me;
mod reads;
mod session;
mod token;
mod view;

pub(crate) use admin::{AdminError, ensure_admin};
pub use config::AccountConfig;
pub(crate) use create::{CreateUser, Register};
pub(crate) use me::{SetTelegram, WhoAmI};
pub(crate) use reads::{ListUsers, ShowLedger};
pub(crate) use session::{Login, Logout, Refresh};
pub(crate) use token::hash as hash_token;
pub(crate) use view::UserPath;
