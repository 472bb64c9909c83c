mod search;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use search::SEARCHES;
use tokio::sync::{Semaphore, broadcast};

use crate::name::Name;
use crate::registration::{Change, ChangeKind, Registration};
use crate::size;
use crate::time::Time;

/// Number of changes that a watcher may lag behind. It is then told that it missed some. The metadata of all of them stay
/// in memory meanwhile.
const BACKLOG: usize = 1024;
/// Time for which the end of a registration is remembered, so that an older change that arrives late is ignored.
const REMEMBERED_MS: i64 = 60_000;

/// The registrations of one namespace in memory. With the embedded backend this is the truth; with Redis it follows the
/// changes of all instances.
#[derive(Debug)]
pub(crate) struct View {
    inside: RwLock<Inside>,
    changes: broadcast::Sender<Arc<Change>>,
    searches: Semaphore,
}

#[derive(Debug, Default)]
pub(crate) struct Inside {
    registrations: BTreeMap<Name, Arc<Registration>>,
    /// The ends of registrations, earliest first.
    ends: BTreeSet<(Time, Name)>,
    /// Generations of ended registrations, with the time at which they are forgotten.
    ended: HashMap<Name, (u64, Time)>,
    generation: u64,
    /// Memory of the metadata of all registrations, in bytes.
    memory: usize,
}

impl Default for View {
    fn default() -> Self {
        Self {
            inside: RwLock::default(),
            changes: broadcast::Sender::new(BACKLOG),
            searches: Semaphore::new(SEARCHES),
        }
    }
}

impl View {
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Inside> {
        self.inside.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the view for several steps that belong together. No caller waits for anything while it holds the lock.
    pub(crate) fn edit(&self) -> Edit<'_> {
        Edit {
            inside: self.inside.write().unwrap_or_else(PoisonError::into_inner),
            changes: &self.changes,
        }
    }

    /// Follows the changes from now on.
    pub(crate) fn watch(&self) -> broadcast::Receiver<Arc<Change>> {
        self.changes.subscribe()
    }

    /// The registration of an identity, unless it is over.
    pub(crate) fn get(&self, identity: &Name, now: Time) -> Option<Arc<Registration>> {
        self.read().get(identity, now).cloned()
    }
}

impl Inside {
    pub(crate) fn get(&self, identity: &Name, now: Time) -> Option<&Arc<Registration>> {
        let found = self.registrations.get(identity);
        found.filter(|registration| !registration.is_over(now))
    }

    /// The registrations that are not over, ordered by identity.
    pub(crate) fn live(&self, now: Time) -> impl Iterator<Item = &Arc<Registration>> {
        let all = self.registrations.values();
        all.filter(move |registration| !registration.is_over(now))
    }

    pub(crate) fn len(&self) -> usize {
        self.registrations.len()
    }

    /// The next generation, which no registration had before, not even before a restart.
    pub(crate) fn next_generation(&self, now: Time) -> u64 {
        let clock = u64::try_from(now.millis()).unwrap_or(0) * 1000;
        clock.max(self.generation + 1)
    }

    /// Memory of the metadata of all registrations, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    /// The end of the earliest registration.
    pub(crate) fn first_end(&self) -> Option<Time> {
        self.ends.first().map(|(end, _)| *end)
    }
}

/// A view that is locked for changes.
pub(crate) struct Edit<'a> {
    inside: RwLockWriteGuard<'a, Inside>,
    changes: &'a broadcast::Sender<Arc<Change>>,
}

impl std::ops::Deref for Edit<'_> {
    type Target = Inside;

    fn deref(&self) -> &Inside {
        &self.inside
    }
}

impl Edit<'_> {
    /// Applies a change and tells the watchers. Returns `false` if a newer change of the identity was applied before.
    pub(crate) fn apply(&mut self, change: Change) -> bool {
        let Change { kind, registration } = &change;
        let (identity, generation) = (&registration.identity, registration.generation);
        let inside = &mut *self.inside;
        let known = inside
            .registrations
            .get(identity)
            .map(|known| known.generation);
        let ended = inside
            .ended
            .get(identity)
            .map(|(generation, _)| *generation);
        if known.max(ended).is_some_and(|known| known >= generation) {
            return false;
        }
        inside.generation = inside.generation.max(generation);
        let was_there = inside.remove(identity);
        if kind.leaves_it_registered() {
            inside.insert(registration.clone());
        } else {
            let forgotten = Time::of_millis(Time::now().millis() + REMEMBERED_MS);
            inside
                .ended
                .insert(identity.clone(), (generation, forgotten));
            if !was_there {
                return false;
            }
        }
        // An error means that nobody watches.
        let _ = self.changes.send(Arc::new(change));
        true
    }

    /// Adds a registration that was found in the store at startup, without telling anyone.
    pub(crate) fn load(&mut self, registration: Arc<Registration>) {
        self.inside.generation = self.inside.generation.max(registration.generation);
        self.inside.insert(registration);
    }

    /// Ends the registrations whose time has passed, and returns them. The end has the generation of the registration,
    /// so that a later registration always prevails.
    pub(crate) fn expire(&mut self, now: Time) -> Vec<Arc<Registration>> {
        let inside = &mut *self.inside;
        let mut over = Vec::new();
        while inside.first_end().is_some_and(|end| end <= now) {
            let Some((_, identity)) = inside.ends.pop_first() else {
                break;
            };
            if let Some(registration) = inside.registrations.remove(&identity) {
                inside.memory -= size::memory(&registration.metadata);
                over.push(registration);
            }
        }
        for registration in &over {
            let registration = registration.clone();
            let kind = ChangeKind::Expired;
            // An error means that nobody watches.
            let _ = self.changes.send(Arc::new(Change { kind, registration }));
        }
        over
    }

    /// Forgets the ends that no late change can meet any more.
    pub(crate) fn forget_ended(&mut self, now: Time) {
        let ended = &mut self.inside.ended;
        ended.retain(|_, (_, forgotten)| *forgotten > now);
    }

    /// Makes the view equal to the registrations that the backend has, except for those that changed after the
    /// generation `asked`, which the view had before it asked. Watchers see the differences as changes. Returns the
    /// registrations that are gone. Those that are over stay, because they expire by themselves.
    pub(crate) fn reconcile(
        &mut self,
        found: Vec<Arc<Registration>>,
        asked: u64,
        now: Time,
    ) -> Vec<Arc<Registration>> {
        let names: BTreeSet<Name> = found.iter().map(|r| r.identity.clone()).collect();
        let is_gone = |known: &&Arc<Registration>| {
            let is_missing = !names.contains(&known.identity) && !known.is_over(now);
            is_missing && known.generation <= asked
        };
        let known = self.inside.registrations.values();
        let gone: Vec<_> = known.filter(is_gone).cloned().collect();
        for registration in &gone {
            self.inside.remove(&registration.identity);
            let registration = registration.clone();
            let kind = ChangeKind::Unregistered;
            // An error means that nobody watches.
            let _ = self.changes.send(Arc::new(Change { kind, registration }));
        }
        for registration in found {
            let kind = ChangeKind::Registered;
            self.apply(Change { kind, registration });
        }
        gone
    }
}

impl Inside {
    fn insert(&mut self, registration: Arc<Registration>) {
        let identity = registration.identity.clone();
        if let Some(end) = registration.expires_at {
            self.ends.insert((end, identity.clone()));
        }
        self.memory += size::memory(&registration.metadata);
        self.registrations.insert(identity, registration);
    }

    fn remove(&mut self, identity: &Name) -> bool {
        let Some(removed) = self.registrations.remove(identity) else {
            return false;
        };
        if let Some(end) = removed.expires_at {
            self.ends.remove(&(end, identity.clone()));
        }
        self.memory -= size::memory(&removed.metadata);
        true
    }

    /// The highest generation of all applied changes.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::Metadata;

    fn change(kind: ChangeKind, identity: &str, generation: u64, end: Option<i64>) -> Change {
        let registration = Arc::new(Registration {
            identity: Name::new(identity).unwrap(),
            metadata: Arc::new(Metadata::new()),
            registered_at: Time::of_millis(0),
            expires_at: end.map(Time::of_millis),
            ttl_seconds: None,
            generation,
        });
        Change { kind, registration }
    }

    fn names(view: &View, now: i64) -> Vec<String> {
        let inside = view.read();
        let live = inside.live(Time::of_millis(now));
        live.map(|found| found.identity.to_string()).collect()
    }

    #[test]
    fn the_end_of_an_old_registration_never_ends_a_new_one() {
        use ChangeKind::{Registered, Replaced};
        let view = View::default();
        view.edit().apply(change(Registered, "a", 1, Some(100)));
        view.edit().apply(change(Replaced, "a", 2, Some(500)));
        assert!(view.edit().expire(Time::of_millis(200)).is_empty());
        assert_eq!(names(&view, 200), ["a"]);
        let over = view.edit().expire(Time::of_millis(500));
        assert_eq!(over[0].generation, 2);
        assert!(names(&view, 500).is_empty());
    }

    #[test]
    fn ends_are_remembered_for_a_minute_although_nothing_expires() {
        use ChangeKind::{Registered, Unregistered};
        let view = View::default();
        let now = Time::now().millis();
        view.edit().apply(change(Registered, "a", 1, None));
        view.edit().apply(change(Unregistered, "a", 2, None));
        view.edit()
            .forget_ended(Time::of_millis(now + REMEMBERED_MS - 1000));
        assert!(!view.edit().apply(change(Registered, "a", 1, None)));
        view.edit()
            .forget_ended(Time::of_millis(now + REMEMBERED_MS + 60_000));
        assert!(view.read().ended.is_empty());
    }

    #[test]
    fn changes_in_the_wrong_order_end_in_the_newest_state() {
        use ChangeKind::{Registered, Unregistered};
        let view = View::default();
        assert!(!view.edit().apply(change(Unregistered, "a", 2, None)));
        assert!(!view.edit().apply(change(Registered, "a", 1, None)));
        assert!(names(&view, 0).is_empty());
        assert!(view.edit().apply(change(Registered, "a", 3, None)));
        assert!(!view.edit().apply(change(Unregistered, "a", 2, None)));
        assert_eq!(names(&view, 0), ["a"]);
    }

    #[test]
    fn what_is_over_is_hidden_before_it_is_removed() {
        let view = View::default();
        view.edit()
            .apply(change(ChangeKind::Registered, "a", 1, Some(100)));
        assert_eq!(names(&view, 99), ["a"]);
        assert!(names(&view, 100).is_empty());
        assert_eq!(view.read().len(), 1);
    }

    #[test]
    fn reconciling_keeps_what_changed_meanwhile() {
        use ChangeKind::Registered;
        let view = View::default();
        view.edit().apply(change(Registered, "gone", 1, None));
        view.edit().apply(change(Registered, "fresh", 9, None));
        let found = vec![change(Registered, "other", 5, None).registration];
        let gone = view.edit().reconcile(found, 5, Time::of_millis(0));
        assert_eq!(gone[0].identity.as_str(), "gone");
        assert_eq!(names(&view, 0), ["fresh", "other"]);
    }
}
