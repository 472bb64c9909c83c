use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Instant;

use super::View;
use crate::filter::Filter;
use crate::name::Name;
use crate::registration::Registration;
use crate::time::Time;

/// Number of registrations that a search looks at before it looks at the time.
const LOOKS: usize = 8;
/// Time after which a search lets other tasks run.
const TURN: Duration = Duration::from_millis(1);
/// Number of searches that run in turn. Further ones wait, so that other requests need not wait for a turn of each.
pub(super) const SEARCHES: usize = 4;

impl View {
    /// The registrations that are not over and meet a filter, ordered by identity. Other tasks run in between, so changes
    /// in the meantime may be included.
    pub(crate) async fn search(&self, filter: &Filter, now: Time) -> Vec<Arc<Registration>> {
        // An error would mean that the semaphore was closed, which never happens.
        let _permit = self.searches.acquire().await.ok();
        let (mut found, mut last) = (Vec::new(), None);
        loop {
            last = self.search_after(last.as_ref(), (filter, now), &mut found);
            if last.is_none() {
                return found;
            }
            yield_now().await;
        }
    }

    /// Continues a search for one turn. Returns the last identity that it looked at, and `None` at the end.
    fn search_after(
        &self,
        last: Option<&Name>,
        (filter, now): (&Filter, Time),
        found: &mut Vec<Arc<Registration>>,
    ) -> Option<Name> {
        let inside = self.read();
        let from = last.map_or(Bound::Unbounded, Bound::Excluded);
        let rest = inside
            .registrations
            .range::<Name, _>((from, Bound::Unbounded));
        let begin = Instant::now();
        for (n, (identity, registration)) in rest.enumerate() {
            if !registration.is_over(now) && filter.matches(&registration.metadata) {
                found.push(registration.clone());
            }
            if n % LOOKS == LOOKS - 1 && begin.elapsed() >= TURN {
                return Some(identity.clone());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::registration::{Change, ChangeKind, Metadata};

    #[tokio::test]
    async fn other_tasks_run_during_a_search_that_takes_long() {
        let view = Arc::new(View::default());
        let items: Vec<String> = (0..1000).map(|n| format!("item {n}")).collect();
        for n in 0..500 {
            let mut metadata = Metadata::new();
            metadata.insert("items".to_owned(), items.clone().into());
            let registration = Arc::new(Registration {
                identity: Name::new(&format!("{n:03}")).unwrap(),
                metadata: Arc::new(metadata),
                registered_at: Time::of_millis(0),
                expires_at: None,
                ttl_seconds: None,
                generation: n + 1,
            });
            let kind = ChangeKind::Registered;
            view.edit().apply(Change { kind, registration });
        }
        let wanted: Vec<_> = (0..20)
            .map(|n| json!({ "items.contains": n.to_string() }))
            .collect();
        let filter = Filter::read(&json!({ "$not": { "$or": wanted } })).unwrap();
        let begin = Instant::now();
        let searching = tokio::spawn({
            let view = view.clone();
            async move { view.search(&filter, Time::of_millis(0)).await.len() }
        });
        let mut turns: u32 = 0;
        while !searching.is_finished() {
            turns += 1;
            yield_now().await;
        }
        assert_eq!(searching.await.unwrap(), 500);
        assert!(turns > 10, "{turns} turns in {:?}", begin.elapsed());
    }
}
