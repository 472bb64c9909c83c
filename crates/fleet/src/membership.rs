//! Which agents are there: each announces itself in a bucket whose entries expire.

use std::time::Duration;

use async_nats::jetstream::kv::Store;
use futures_util::StreamExt as _;
use tokio::time::sleep;

use crate::error::FleetError;
use crate::protocol::{Member, decode, encode};

/// The version of headcount. Agents and coordinator must have the same.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Time between two announcements of an agent.
pub(crate) const ANNOUNCE: Duration = Duration::from_secs(1);
/// Number of looks for agents, and the pause between them.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(200);

/// Announces an agent for the first time, unless its name is taken.
pub(crate) async fn join(members: &Store, member: &Member) -> Result<(), FleetError> {
    let value = encode(member).map_err(FleetError::nats("announce the agent"))?;
    let joined = members.create(&member.name, value).await;
    if joined.is_ok() {
        return Ok(());
    }
    match members.get(&member.name).await {
        Ok(Some(_)) => Err(FleetError::NameTaken {
            name: member.name.clone(),
        }),
        Ok(None) => announce(members, member).await,
        Err(why) => Err(FleetError::nats("announce the agent")(why.to_string())),
    }
}

/// Repeats the announcement of an agent.
pub(crate) async fn announce(members: &Store, member: &Member) -> Result<(), FleetError> {
    let cannot = FleetError::nats("announce the agent");
    let value = match encode(member) {
        Ok(value) => value,
        Err(why) => return Err(cannot(why)),
    };
    let put = members.put(&member.name, value).await;
    put.map(|_| ()).map_err(|why| cannot(why.to_string()))
}

/// All agents that are there.
pub(crate) async fn list(members: &Store) -> Result<Vec<Member>, FleetError> {
    let cannot = || FleetError::nats("list the agents");
    let mut keys = members
        .keys()
        .await
        .map_err(|why| cannot()(why.to_string()))?;
    let mut found = Vec::new();
    while let Some(key) = keys.next().await {
        let key = key.map_err(|why| cannot()(why.to_string()))?;
        // An entry may expire between the two requests.
        if let Ok(Some(value)) = members.get(&key).await {
            found.extend(decode::<Member>(&value).ok());
        }
    }
    Ok(found)
}

/// Waits until `wanted` agents are free, or without a number until one is, and chooses them.
pub(crate) async fn find(
    members: &Store,
    wanted: Option<usize>,
) -> Result<Vec<Member>, FleetError> {
    let needed = wanted.unwrap_or(1);
    let mut look = 0;
    loop {
        let found = list(members).await?;
        let chosen = choose(found, wanted)?;
        if chosen.len() >= needed {
            return Ok(chosen);
        }
        look += 1;
        if look == LOOKS {
            return Err(FleetError::TooFewAgents {
                found: chosen.len(),
                wanted: needed,
            });
        }
        sleep(PAUSE).await;
    }
}

/// Chooses free agents in the order of their names: at most `wanted`, or all of them.
fn choose(mut found: Vec<Member>, wanted: Option<usize>) -> Result<Vec<Member>, FleetError> {
    found.retain(|member| !member.is_busy);
    // Shorter names first, so that `agent-10` comes after `agent-9`.
    found.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
    found.truncate(wanted.unwrap_or(usize::MAX));
    if let Some(other) = found.iter().find(|member| member.version != VERSION) {
        return Err(FleetError::Version {
            name: other.name.clone(),
            theirs: other.version.clone(),
            ours: VERSION,
        });
    }
    Ok(found)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn member(name: &str) -> Member {
        Member {
            name: name.to_owned(),
            incarnation: 1,
            version: VERSION.to_owned(),
            cores: Some(2),
            memory_mb: None,
            clock_address: None,
            started_at: "2026-11-28T12:00:00Z".to_owned(),
            is_busy: false,
        }
    }

    fn chosen(found: Vec<Member>, wanted: Option<usize>) -> Vec<String> {
        let chosen = choose(found, wanted).unwrap();
        chosen.into_iter().map(|member| member.name).collect()
    }

    #[test]
    fn free_agents_are_chosen_in_the_order_of_their_names() {
        let busy = Member {
            is_busy: true,
            ..member("a-1")
        };
        let found = vec![member("a-10"), member("a-9"), busy, member("a-2")];
        assert_eq!(chosen(found.clone(), None), ["a-2", "a-9", "a-10"]);
        assert_eq!(chosen(found, Some(2)), ["a-2", "a-9"]);
    }

    #[test]
    fn an_agent_of_another_version_is_named() {
        let other = Member {
            version: "0.0.9".to_owned(),
            ..member("old")
        };
        let why = choose(vec![member("new"), other], None).unwrap_err();
        let text = why.to_string();
        assert!(text.contains("`old` runs headcount 0.0.9"), "{text}");
    }
}
