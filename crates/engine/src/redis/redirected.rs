use wire::resp::{self, Redirect, RedirectKind};

use super::command::{Routed, command_in};
use crate::socket::Waiting;

/// Maximum number of redirects of one command.
const MAX_REDIRECTS: u8 = 5;

/// A command that a node has redirected.
#[derive(Debug)]
pub(super) struct Redirected {
    pub(super) waiting: Waiting,
    pub(super) kind: RedirectKind,
    pub(super) slot: u16,
    pub(super) host: String,
    pub(super) port: u16,
}

impl Redirected {
    pub(super) fn new(waiting: Waiting, redirect: Redirect<'_>) -> Self {
        Self {
            waiting,
            kind: redirect.kind,
            slot: redirect.slot,
            host: redirect.host.to_owned(),
            port: redirect.port,
        }
    }
}

/// The redirect in the reply to a command, if it is followed.
pub(super) fn redirect_in<'a>(
    reply: &resp::Value<'a>,
    waiting: &mut Waiting,
) -> Option<Redirect<'a>> {
    let resp::Value::Error(error) = reply else {
        return None;
    };
    let may = routed(waiting).is_some_and(|routed| routed.redirects < MAX_REDIRECTS);
    error.redirect().filter(|_| may)
}

/// What is needed to send a command of a cluster again.
pub(super) fn routed(waiting: &mut Waiting) -> Option<&mut Routed> {
    command_in(waiting)?.routed.as_deref_mut()
}
