use serde::Deserialize;

use crate::audio::{AudioError, Format};
use crate::limits::VoiceConfig;

/// Query parameters that state the format of audio without a WAV header.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct FormatQuery {
    sample_rate: Option<u32>,
    channels: Option<u16>,
}

impl FormatQuery {
    pub(crate) fn format(self, config: &VoiceConfig) -> Result<Format, AudioError> {
        let rate = self.sample_rate.unwrap_or(config.sample_rate);
        Format::checked(rate, self.channels.unwrap_or(1))
    }
}
