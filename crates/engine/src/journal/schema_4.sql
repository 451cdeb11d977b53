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
