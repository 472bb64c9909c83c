use delivery::Documents;
use model::{Fault, Nanos};
use rand_pcg::Pcg64Mcg;
use script::host::Payload;

use super::member::{First, Ready};
use crate::base::Base;
use crate::dial::Opener;
use crate::filter::Filter;
use crate::net::EndpointIndex;
use crate::registry::Talk;
use crate::shared_connections::Identity;

/// The connection of a member, as its protocol describes it.
pub(crate) struct Described {
    pub(crate) endpoint: EndpointIndex,
    pub(crate) opener: Opener,
    pub(crate) documents: Documents,
    /// The session on top of the connection's messages.
    pub(crate) talk: Option<Box<Talk>>,
    pub(crate) first: First,
    pub(crate) ready: Ready,
    /// Time limit until the member listens.
    pub(crate) limit: Nanos,
    /// What the members have in common with whom this one shares a connection.
    pub(crate) shared: Option<Identity>,
}

/// The connection of a member, as the script describes it.
pub(crate) trait Describe {
    /// `first` are the messages that the member sends first.
    fn describe(
        self,
        base: &mut Base,
        first: Vec<Payload>,
        random: &mut Pcg64Mcg,
    ) -> Result<Described, Fault>;
}

impl Described {
    /// A member that listens as soon as this connection is open.
    pub(crate) fn new(endpoint: EndpointIndex, opener: Opener, limit: Nanos) -> Self {
        Self {
            endpoint,
            opener,
            documents: Documents::default(),
            talk: None,
            first: First::default(),
            ready: Ready::Open,
            limit,
            shared: None,
        }
    }

    /// Makes the member listen from the first message with these values on, in an event of this name, if any are given.
    pub(super) fn or_from(
        self,
        values: Vec<(String, String)>,
        event: Option<String>,
    ) -> Result<Self, Fault> {
        if values.is_empty() && event.is_none() {
            return Ok(self);
        }
        let ready = Ready::Message(Filter::new(values)?, event);
        Ok(Self { ready, ..self })
    }
}
