-- Users, sessions and notifications. Times are milliseconds since 1970, and money is in minor units.
-- The same statements run on SQLite and PostgreSQL.
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('buyer', 'seller', 'admin')),
    password_hash TEXT NOT NULL,
    telegram_chat TEXT,
    notified BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    access_hash TEXT NOT NULL UNIQUE,
    access_until BIGINT NOT NULL,
    refresh_hash TEXT NOT NULL UNIQUE,
    refresh_until BIGINT NOT NULL
);
CREATE INDEX sessions_until ON sessions (refresh_until);

-- Used refresh tokens. If one is used again, it was stolen, and its session ends.
CREATE TABLE spent_tokens (
    refresh_hash TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE TABLE notifications (
    user_id TEXT NOT NULL REFERENCES users (id),
    sequence BIGINT NOT NULL,
    kind TEXT NOT NULL,
    request_id TEXT NOT NULL,
    data TEXT NOT NULL,
    cause TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    read_at BIGINT,
    PRIMARY KEY (user_id, sequence),
    UNIQUE (user_id, cause)
);

CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    target TEXT NOT NULL,
    body TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at);

-- Stored responses to writes with an idempotency key. The same request gets the same response.
CREATE TABLE answers (
    caller TEXT NOT NULL,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (caller, name)
);
CREATE INDEX answers_age ON answers (created_at);
