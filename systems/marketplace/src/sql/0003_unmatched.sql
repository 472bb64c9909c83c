-- Provider events that contradict the known state, stored for an admin to inspect.
ALTER TABLE provider_events ADD COLUMN unmatched BIGINT NOT NULL DEFAULT 0;
CREATE INDEX provider_events_unmatched ON provider_events (received_at) WHERE unmatched = 1;

-- Each outgoing channel has its own sender.
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (channel, due_at, id);
