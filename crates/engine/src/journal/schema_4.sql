-- Commands that did something and whether they went well. `name` is a digest of program and subcommand, `complaint`
-- of the first thing that it complained of.
CREATE TABLE attempts (
    event     INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
    session   INTEGER NOT NULL REFERENCES sessions (id),
    name      BLOB NOT NULL,
    at        INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    complaint BLOB
);
CREATE INDEX attempts_by_name ON attempts (session, name, at);

-- Where a command that failed went well later in the same session.
CREATE TABLE fixes (
    failed    INTEGER PRIMARY KEY REFERENCES attempts (event) ON DELETE CASCADE,
    worked    INTEGER NOT NULL REFERENCES attempts (event) ON DELETE CASCADE,
    project   INTEGER REFERENCES projects (id),
    name      BLOB NOT NULL,
    complaint BLOB NOT NULL,
    at        INTEGER NOT NULL
);
CREATE INDEX fixes_by_complaint ON fixes (project, name, complaint, at);
CREATE INDEX fixes_by_worked ON fixes (worked);

-- The files that were changed in between, as they read from the project.
CREATE TABLE fix_paths (
    fix  INTEGER NOT NULL REFERENCES fixes (failed) ON DELETE CASCADE,
    path TEXT NOT NULL,
    PRIMARY KEY (fix, path)
) WITHOUT ROWID;
CREATE INDEX fix_paths_by_path ON fix_paths (path);

-- A turn is looked at from its prompt on, however long its session is.
CREATE INDEX events_by_kind ON events (session, kind);

-- Who told of a session first, and whether somebody else does as well: only then is it looked whether two events are
-- one happening. In `events`, `seen_also` is 0 where another origin owns such events and has not told of this one yet.
ALTER TABLE sessions ADD COLUMN via TEXT;
ALTER TABLE sessions ADD COLUMN adapter TEXT;
ALTER TABLE sessions ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
CREATE INDEX events_by_seen_also ON events (seen_also) WHERE seen_also IS NOT NULL;

-- The event that an injection answered.
ALTER TABLE injections ADD COLUMN seq INTEGER;
CREATE INDEX injections_by_seq ON injections (seq) WHERE seq IS NOT NULL;

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

