-- Trades. The constraints here forbid everything that must never happen twice, whatever the program does.
CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    buyer_id TEXT NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    search TEXT NOT NULL,
    currency TEXT NOT NULL,
    budget BIGINT CHECK (budget > 0),
    state TEXT NOT NULL,
    selected_offer TEXT,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX requests_buyer ON requests (buyer_id, id);
CREATE INDEX requests_state ON requests (state, id);
CREATE INDEX requests_due ON requests (expires_at) WHERE state IN ('open', 'selected', 'delivering');

CREATE TABLE offers (
    id TEXT PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES requests (id),
    seller_id TEXT NOT NULL REFERENCES users (id),
    amount BIGINT NOT NULL CHECK (amount > 0),
    message TEXT NOT NULL,
    state TEXT NOT NULL,
    round BIGINT NOT NULL,
    valid_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX offers_request ON offers (request_id, id);
CREATE INDEX offers_due ON offers (valid_until) WHERE state IN ('awaiting_buyer', 'awaiting_seller');
-- Only one seller is selected, and a seller has one offer at a time.
CREATE UNIQUE INDEX offers_one_accepted ON offers (request_id) WHERE state = 'accepted';
CREATE UNIQUE INDEX offers_one_each ON offers (request_id, seller_id)
    WHERE state IN ('awaiting_buyer', 'awaiting_seller', 'accepted');

CREATE TABLE offer_rounds (
    offer_id TEXT NOT NULL REFERENCES offers (id),
    round BIGINT NOT NULL,
    party TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (offer_id, round)
);

CREATE TABLE payments (
    id TEXT PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES requests (id),
    buyer_id TEXT NOT NULL REFERENCES users (id),
    seller_id TEXT NOT NULL REFERENCES users (id),
    amount BIGINT NOT NULL CHECK (amount > 0),
    currency TEXT NOT NULL,
    state TEXT NOT NULL,
    told BIGINT NOT NULL DEFAULT 0,
    fee BIGINT NOT NULL CHECK (fee BETWEEN 0 AND 10000),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
-- Each trade is paid once.
CREATE UNIQUE INDEX payments_one_each ON payments (request_id)
    WHERE state IN ('pending', 'held', 'released', 'refunded', 'split');
CREATE INDEX payments_request ON payments (request_id, id);

-- The events that the provider has sent. Each event counts once.
CREATE TABLE provider_events (
    id TEXT PRIMARY KEY,
    payment_id TEXT NOT NULL REFERENCES payments (id),
    sequence BIGINT NOT NULL,
    kind TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    UNIQUE (payment_id, sequence)
);

CREATE TABLE deliveries (
    request_id TEXT PRIMARY KEY REFERENCES requests (id),
    state TEXT NOT NULL,
    tracking TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE disputes (
    request_id TEXT PRIMARY KEY REFERENCES requests (id),
    opened_by TEXT NOT NULL REFERENCES users (id),
    reason TEXT NOT NULL,
    resolution TEXT,
    refunded BIGINT,
    opened_at BIGINT NOT NULL,
    resolved_at BIGINT
);

CREATE TABLE ratings (
    request_id TEXT NOT NULL REFERENCES requests (id),
    rater_id TEXT NOT NULL REFERENCES users (id),
    rated_id TEXT NOT NULL REFERENCES users (id),
    stars BIGINT NOT NULL CHECK (stars BETWEEN 1 AND 5),
    comment TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (request_id, rater_id)
);
CREATE INDEX ratings_rated ON ratings (rated_id, request_id);

-- Double entry. The money of a payment enters escrow once and leaves it once. The entries of a
-- transfer add up to zero.
CREATE TABLE transfers (
    id TEXT PRIMARY KEY,
    payment_id TEXT NOT NULL REFERENCES payments (id),
    kind TEXT NOT NULL CHECK (kind IN ('hold', 'settle')),
    created_at BIGINT NOT NULL,
    UNIQUE (payment_id, kind)
);

CREATE TABLE entries (
    transfer_id TEXT NOT NULL REFERENCES transfers (id),
    leg BIGINT NOT NULL,
    account TEXT NOT NULL CHECK (account IN ('buyer', 'escrow', 'seller', 'fee')),
    owner TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (transfer_id, leg)
);
CREATE INDEX entries_owner ON entries (account, owner);
