use delivery::ChannelIndex;
use model::{Fault, FaultKind};
use script::host::ChannelId;

use crate::audience::channel_of;
use crate::people::Group;

/// The index of a group's channel in the group's ledger.
pub(super) fn channel_index(group: &Group, channel: ChannelId) -> Result<ChannelIndex, Fault> {
    if channel_of(channel).is_some() {
        let detail =
            "the channel addresses an audience, and only the members of the audience receive it";
        return Err(Fault::script(FaultKind::Thrown, detail));
    }
    let known = group
        .channels
        .iter()
        .map(|(_, index)| *index)
        .find(|index| u32::from(index.0) == channel.0);
    known.ok_or_else(|| Fault::script(FaultKind::Thrown, "the channel belongs to another group"))
}
