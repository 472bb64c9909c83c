use redis::RedisError;

/// Reason why the shared backend cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// Redis cannot be reached or refuses the connection.
    #[error("cannot connect to Redis: {0}")]
    Redis(#[from] RedisError),
    /// A URL of NATS is not valid.
    #[error("`--nats` is not valid: {0}")]
    Url(std::io::Error),
    /// NATS cannot be reached or refuses the connection.
    #[error("cannot connect to NATS: {0}")]
    Nats(#[from] async_nats::ConnectError),
    /// NATS refuses a subscription.
    #[error("cannot subscribe on NATS: {0}")]
    Subscribe(#[from] async_nats::SubscribeError),
    /// The operating system provides no random numbers.
    #[error("cannot choose a number for this instance: {0}")]
    Number(std::io::Error),
}
