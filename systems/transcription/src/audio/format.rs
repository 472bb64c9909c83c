/// The format of uncompressed 16-bit audio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Samples per second and channel.
    pub(crate) rate: u32,
    /// Number of channels.
    pub(crate) channels: u16,
}

/// Reason why audio cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AudioError {
    #[error("sample rate {0} is not supported: use 8000 to 192000")]
    Rate(u32),
    #[error("{0} channels are not supported: use 1 or 2")]
    Channels(u16),
    #[error("WAV encoding {encoding} with {bits} bits is not supported: use 16-bit PCM")]
    Encoding { encoding: u16, bits: u16 },
    #[error("the WAV header is not valid")]
    Header,
    #[error("the sample rate cannot be converted: {0}")]
    Conversion(String),
}

impl Format {
    /// Accepts the formats that the service converts.
    pub(crate) fn checked(rate: u32, channels: u16) -> Result<Self, AudioError> {
        if !(8_000..=192_000).contains(&rate) {
            return Err(AudioError::Rate(rate));
        }
        if !(1..=2).contains(&channels) {
            return Err(AudioError::Channels(channels));
        }
        Ok(Self { rate, channels })
    }
}
