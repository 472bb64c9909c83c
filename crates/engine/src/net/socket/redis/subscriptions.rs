use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// The kind of name to which a subscription applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Channel,
    Pattern,
    Shard,
}

impl SourceKind {
    /// The command that subscribes.
    pub(crate) fn subscribe(self) -> &'static str {
        match self {
            Self::Channel => "SUBSCRIBE",
            Self::Pattern => "PSUBSCRIBE",
            Self::Shard => "SSUBSCRIBE",
        }
    }

    /// The command that ends subscriptions.
    pub(crate) fn unsubscribe(self) -> &'static str {
        match self {
            Self::Channel => "UNSUBSCRIBE",
            Self::Pattern => "PUNSUBSCRIBE",
            Self::Shard => "SUNSUBSCRIBE",
        }
    }

    /// The kind of the subscription to which a published message belongs. `push` is the kind of a push.
    pub(crate) fn of_message(push: &str) -> Option<Self> {
        match push {
            "message" => Some(Self::Channel),
            "pmessage" => Some(Self::Pattern),
            "smessage" => Some(Self::Shard),
            _ => None,
        }
    }

    /// The kind of the subscription that the server has ended. `push` is the kind of a push.
    pub(crate) fn of_end(push: &str) -> Option<Self> {
        match push {
            "unsubscribe" => Some(Self::Channel),
            "punsubscribe" => Some(Self::Pattern),
            "sunsubscribe" => Some(Self::Shard),
            _ => None,
        }
    }
}

/// A command that begins or ends a subscription, and that the server has not confirmed.
#[derive(Debug)]
pub(crate) struct Change {
    /// The key of the subscription.
    pub(crate) subscription: u32,
    pub(crate) kind: SourceKind,
    pub(crate) names: Vec<Vec<u8>>,
    /// Whether the command ends the subscription.
    pub(crate) ends: bool,
}

/// A subscription that follows a channel or a pattern.
#[derive(Clone, Copy, Debug)]
struct Follower {
    key: u32,
    /// Whether the server has been asked to end it. Until the server has, messages arrive.
    leaves: bool,
}

/// The subscriptions on a connection. Each is identified by the key that its creator chose.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    /// The followers of each name, by the kind of name.
    followers: [FxHashMap<Box<[u8]>, Vec<Follower>>; 3],
    /// Commands in flight with their tokens, in order.
    changes: VecDeque<(u64, Change)>,
}

impl Subscriptions {
    /// Adds a subscription.
    pub(crate) fn add(&mut self, key: u32, kind: SourceKind, names: &[Vec<u8>]) {
        for name in names {
            let followers = self.followers[kind as usize]
                .entry(name.as_slice().into())
                .or_default();
            followers.push(Follower { key, leaves: false });
        }
    }

    /// Notes that a subscription leaves. Returns those of its names that no other subscription follows, so that the
    /// server must be asked to end them.
    pub(crate) fn leave(&mut self, key: u32, kind: SourceKind, names: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut alone = Vec::new();
        for name in names {
            let Some(followers) = self.followers[kind as usize].get_mut(name.as_slice()) else {
                continue;
            };
            for follower in followers.iter_mut().filter(|one| one.key == key) {
                follower.leaves = true;
            }
            if followers.iter().all(|one| one.leaves) {
                alone.push(name.clone());
            }
        }
        alone
    }

    /// Removes a subscription.
    pub(crate) fn remove(&mut self, key: u32, kind: SourceKind, names: &[Vec<u8>]) {
        let known = &mut self.followers[kind as usize];
        for name in names {
            if let Some(followers) = known.get_mut(name.as_slice()) {
                followers.retain(|one| one.key != key);
                if followers.is_empty() {
                    known.remove(name.as_slice());
                }
            }
        }
    }

    /// The keys of the subscriptions that follow a name.
    pub(crate) fn followers(
        &self,
        kind: SourceKind,
        name: &[u8],
    ) -> impl ExactSizeIterator<Item = u32> {
        let followers = self.followers[kind as usize].get(name);
        let followers = followers.map_or(&[][..], Vec::as_slice);
        followers.iter().map(|one| one.key)
    }

    /// The keys of all subscriptions.
    pub(crate) fn keys(&self) -> Vec<u32> {
        let all = self.followers.iter().flat_map(FxHashMap::values).flatten();
        let mut keys: Vec<u32> = all.map(|one| one.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    pub(super) fn note(&mut self, token: u64, change: Change) {
        self.changes.push_back((token, change));
    }

    /// Takes the change with this token, which the server has confirmed or refused. `None` if the token is that of another
    /// command.
    pub(crate) fn take_change(&mut self, token: u64) -> Option<Change> {
        self.changes
            .pop_front_if(|(its, _)| *its == token)
            .map(|(_, change)| change)
    }

    /// Whether this end of a name was requested.
    pub(crate) fn expects_end(&self, kind: SourceKind, name: &[u8]) -> bool {
        let mut ends = self.changes.iter().map(|(_, change)| change);
        ends.any(|change| {
            change.ends && change.kind == kind && change.names.iter().any(|one| one == name)
        })
    }
}

#[cfg(test)]
mod tests;
