CREATE TABLE registrations (
    namespace TEXT NOT NULL,
    identity TEXT NOT NULL,
    generation INTEGER NOT NULL,
    registered_at INTEGER NOT NULL,
    expires_at INTEGER,
    ttl_seconds INTEGER,
    metadata TEXT NOT NULL,
    PRIMARY KEY (namespace, identity)
) WITHOUT ROWID;

CREATE TABLE messages (
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    content_type TEXT NOT NULL,
    delivery TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    kept_until INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (namespace, id)
);
CREATE INDEX messages_kept_until ON messages (kept_until);

CREATE TABLE pending (
    namespace TEXT NOT NULL,
    identity TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (namespace, identity, message)
) WITHOUT ROWID;
CREATE INDEX pending_message ON pending (namespace, message);
