-- Who told of a session first, and whether somebody else does as well: only then is it looked whether two events are
-- one happening. In `events`, `seen_also` is 0 where another origin owns such events and has not told of this one yet.
ALTER TABLE sessions ADD COLUMN via TEXT;
ALTER TABLE sessions ADD COLUMN adapter TEXT;
ALTER TABLE sessions ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
CREATE INDEX events_by_seen_also ON events (seen_also) WHERE seen_also IS NOT NULL;

-- The event that an injection answered.
ALTER TABLE injections ADD COLUMN seq INTEGER;
CREATE INDEX injections_by_seq ON injections (seq) WHERE seq IS NOT NULL;
