-- How far transcripts were read: `name` is the file, with the session in it where it holds several. `place` is JSON
-- and holds no text of the transcript.
CREATE TABLE transcripts (
    host  TEXT NOT NULL,
    name  TEXT NOT NULL,
    place TEXT NOT NULL,
    PRIMARY KEY (host, name)
) WITHOUT ROWID;

-- What was purged does not come again by a transcript: of a session, a project, or all (`kind`), what happened before.
-- `name` is a digest, so that what was purged is not named here.
CREATE TABLE withheld (
    kind   TEXT NOT NULL,
    name   TEXT NOT NULL,
    before INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;

-- Who told of a session: 1 hooks and programs while it went on, 2 a transcript, 3 both.
ALTER TABLE sessions ADD COLUMN told_by INTEGER NOT NULL DEFAULT 1;

-- The other reports of a happening.
CREATE INDEX events_by_report ON events (seen_also) WHERE seen_also IS NOT NULL;
