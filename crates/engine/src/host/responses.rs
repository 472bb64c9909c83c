use model::{Fault, UserId};
use script::host::{ChannelId, ResponsesCall, ResponsesHost};

use super::channel::channel_index;
use crate::level_state::level_over;
use crate::socket::Channels;
use crate::world::World;

impl ResponsesHost for World {
    fn receives_in_responses(
        &mut self,
        user: UserId,
        channel: ChannelId,
        call: ResponsesCall,
    ) -> Result<u32, Fault> {
        let (group, ..) = self.base.level.group_of(user).ok_or_else(level_over)?;
        let channel = channel_index(group, channel)?;
        self.lend(|base| Channels { base }.start_in_responses(user, channel, call))
    }

    fn stop_receiving_in_responses(&mut self, user: UserId, receiving: u32) {
        self.lend(|base| Channels { base }.end_in_responses(user, receiving));
    }
}
