//! Random bytes and UUIDs, from the seeded generator of the user for whom the script runs.
//!
//! They are not secret: a run with the same seed repeats them.

use rquickjs::{Exception, Result, TypedArray};

use super::arg::ended;
use super::hash::hex;
use super::native::{Call, Natives};
use crate::state::NOBODY;

/// Maximum number of bytes of one call, as in browsers.
const MOST: usize = 65_536;

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add_as("randomBytes", "crypto.getRandomValues(array)", random_bytes)?;
    natives.add_as("randomUuid", "crypto.randomUUID()", random_uuid)
}

fn random_bytes<'js>(call: &Call<'_, 'js>, count: usize) -> Result<TypedArray<'js, u8>> {
    if count > MOST {
        let method = call.method;
        let message = format!("{method}: at most {MOST} bytes per call, not {count}");
        return Err(Exception::throw_range(&call.ctx, &message));
    }
    TypedArray::new(call.ctx.clone(), random(call, count)?)
}

fn random_uuid(call: &Call<'_, '_>) -> Result<String> {
    random(call, 16).map(|bytes| uuid(&bytes))
}

/// Draws bytes from the current user's generator. While modules load, there is no user, so drawing is an error.
/// Otherwise every run and every worker would draw the same bytes.
fn random(call: &Call<'_, '_>, count: usize) -> Result<Vec<u8>> {
    let current = call.state.now.user.get();
    if current == NOBODY {
        let message = format!(
            "{}: there is no random generator while a module loads; make this call in `setup` or in the scenario",
            call.method
        );
        return Err(Exception::throw_message(&call.ctx, &message));
    }
    let user = call.state.user_id(current);
    let user = user.ok_or_else(|| ended(&call.ctx))?;
    let mut host = call.host();
    let mut bytes = Vec::with_capacity(count + 3);
    while bytes.len() < count {
        bytes.extend_from_slice(&bits(host.random(user)).to_le_bytes());
    }
    bytes.truncate(count);
    Ok(bytes)
}

/// Returns the first 32 bits of a number in [0, 1).
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product is in [0, 2^32)"
)]
fn bits(share: f64) -> u32 {
    (share * (1_u64 << 32) as f64) as u32
}

/// Formats 16 random bytes as a UUID of version 4 (RFC 9562).
fn uuid(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    if let Some(version) = bytes.get_mut(6) {
        *version = *version & 0x0f | 0x40;
    }
    if let Some(variant) = bytes.get_mut(8) {
        *variant = *variant & 0x3f | 0x80;
    }
    let mut text = hex(&bytes);
    for at in [20, 16, 12, 8] {
        text.insert(at, '-');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{bits, uuid};

    #[test]
    fn uuids_have_version_and_variant() {
        assert_eq!(uuid(&[0; 16]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid(&[0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(uuid(&bytes), "00010203-0405-4607-8809-0a0b0c0d0e0f");
    }

    #[test]
    fn bits_cover_their_whole_range() {
        assert_eq!(bits(0.0), 0);
        assert_eq!(bits(0.5), 1 << 31);
        assert_eq!(bits(1.0 - f64::EPSILON / 2.0), u32::MAX);
    }
}
