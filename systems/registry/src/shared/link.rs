use std::time::Duration;

use redis::aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig};
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::{Client, Cmd, Pipeline, RedisFuture, RedisResult, Value};

/// Time limit for a response of Redis.
const PATIENCE: Duration = Duration::from_secs(3);
/// Attempts to connect again before a request fails. Later requests try again.
const ATTEMPTS: usize = 3;
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// A connection to Redis or to a cluster, which connects again by itself. Clones share it.
#[derive(Clone)]
pub(super) enum Link {
    One(ConnectionManager),
    Cluster(ClusterConnection),
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::One(_) => "Link::One",
            Self::Cluster(_) => "Link::Cluster",
        })
    }
}

impl Link {
    /// Connects. Several URLs are the nodes of a cluster.
    pub(super) async fn open(urls: &[String]) -> RedisResult<Self> {
        if let [only] = urls {
            let config = ConnectionManagerConfig::new()
                .set_response_timeout(Some(PATIENCE))
                .set_connection_timeout(Some(PATIENCE))
                .set_number_of_retries(ATTEMPTS)
                .set_max_delay(LONGEST_PAUSE);
            let client = Client::open(only.as_str())?;
            let manager = ConnectionManager::new_with_config(client, config).await?;
            return Ok(Self::One(manager));
        }
        let client = ClusterClientBuilder::new(urls.iter().map(String::as_str))
            .response_timeout(PATIENCE)
            .connection_timeout(PATIENCE)
            .build()?;
        Ok(Self::Cluster(client.get_async_connection().await?))
    }
}

impl ConnectionLike for Link {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(manager) => manager.req_packed_command(cmd),
            Self::Cluster(cluster) => cluster.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(manager) => manager.req_packed_commands(pipeline, offset, count),
            Self::Cluster(cluster) => cluster.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(manager) => manager.get_db(),
            Self::Cluster(cluster) => cluster.get_db(),
        }
    }
}
