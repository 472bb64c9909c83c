use model::{Fault, UserId};

use super::{ChannelId, StampPlace};

/// A search for a channel's stamps in the bodies of responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponsesCall {
    /// The name of the requests whose responses are searched, without tags, such as `GET /inbox`.
    pub request: String,
    /// How to find the channel's stamps in a body.
    pub place: StampPlace,
    /// Whether responses repeat earlier messages, so that a stamp that was received before is no duplicate.
    pub repeats: bool,
}

/// The calls about deliveries in responses.
pub trait ResponsesHost {
    /// Starts a native search for the channel's stamps in the responses to the user's requests. Returns the number of the
    /// search.
    fn receives_in_responses(
        &mut self,
        user: UserId,
        channel: ChannelId,
        call: ResponsesCall,
    ) -> Result<u32, Fault>;
    /// Stops a search.
    fn stop_receiving_in_responses(&mut self, user: UserId, receiving: u32);
}
