//! Channels to passive audiences, as the script addresses them.

use delivery::BroadcastChannel;
use model::{Fault, FaultKind, Nanos, UserId};
use script::host::{AudienceChannel, AudienceSpec, ChannelId};

use crate::level_state::{LevelState, level_over};

/// Numbers of channels from here on are those of audiences. Lower numbers are those of groups.
const FIRST: u32 = 1 << 16;

/// The channels of all audiences, in the order of their numbers, each with the number of its audience.
pub(super) fn channels_of(
    audiences: &[AudienceSpec],
) -> impl Iterator<Item = (u16, usize, &AudienceChannel)> {
    let channels = audiences.iter().enumerate();
    let channels = channels
        .flat_map(|(audience, spec)| spec.channels.iter().map(move |channel| (audience, channel)));
    (0..BroadcastChannel::LIMIT)
        .zip(channels)
        .map(|(number, (audience, channel))| (number, audience, channel))
}

/// The channel of this name that the members of an audience receive.
pub(crate) fn find_channel(
    audiences: &[AudienceSpec],
    audience: u32,
    name: &str,
) -> Result<ChannelId, Fault> {
    let found = channels_of(audiences)
        .find(|(_, of, channel)| *of == audience as usize && channel.name == name);
    let (number, ..) = found.ok_or_else(|| {
        let detail = format!(
            "the audience does not receive the channel `{name}`: add it to the audience's `receives`"
        );
        Fault::script(FaultKind::Thrown, detail)
    })?;
    Ok(ChannelId(FIRST + u32::from(number)))
}

/// The number of the channel, if it is one of an audience.
pub(crate) fn channel_of(channel: ChannelId) -> Option<u16> {
    u16::try_from(channel.0.checked_sub(FIRST)?).ok()
}

/// Creates the stamp of a message to an audience. The message counts if the stamp was due in the measured time.
pub(crate) fn stamp_for(
    level: &mut LevelState,
    user: UserId,
    number: u16,
    made: Nanos,
) -> Result<String, Fault> {
    let tally = level.audience.tallies.get(usize::from(number)).copied();
    let tally = tally.ok_or_else(level_over)?;
    let (group, member, recorder) = level.group_of(user).ok_or_else(level_over)?;
    let channel = BroadcastChannel {
        number,
        measured: recorder.note_stamp(tally, made),
    };
    let stamp = group.ledger.stamp_broadcast(channel, tally, member, made);
    Ok(stamp.encode())
}
