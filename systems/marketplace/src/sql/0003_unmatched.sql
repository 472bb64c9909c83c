-- Events of the provider that contradict what is known: kept for an admin to look at.
ALTER TABLE provider_events ADD COLUMN unmatched BIGINT NOT NULL DEFAULT 0;
CREATE INDEX provider_events_unmatched ON provider_events (received_at) WHERE unmatched = 1;

-- Each way out has a sender of its own.
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (channel, due_at, id);
