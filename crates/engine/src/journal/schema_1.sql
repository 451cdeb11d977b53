CREATE TABLE projects (
    id   INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL
);

-- A session's project is fixed by its first event. `turns` counts prompts where the host names no turn.
CREATE TABLE sessions (
    id       INTEGER PRIMARY KEY,
    host     TEXT NOT NULL,
    session  TEXT NOT NULL,
    project  INTEGER REFERENCES projects (id),
    cwd      TEXT NOT NULL,
    parent   TEXT,
    turns    INTEGER NOT NULL DEFAULT 0,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    UNIQUE (host, session)
);
CREATE INDEX sessions_by_project ON sessions (project, last_at);

-- Times are milliseconds since 1970, UTC. `body` is the event as it came, without what only says what
-- the call could take. `seen_also` names the row that reported the same happening first.
CREATE TABLE events (
    seq       INTEGER PRIMARY KEY,
    id        BLOB NOT NULL UNIQUE,
    session   INTEGER NOT NULL REFERENCES sessions (id),
    kind      TEXT NOT NULL,
    key       TEXT,
    via       TEXT NOT NULL,
    adapter   TEXT NOT NULL,
    turn      TEXT,
    agent     TEXT NOT NULL,
    at        INTEGER NOT NULL,
    tool      TEXT,
    seen_also INTEGER,
    body      TEXT NOT NULL
);
CREATE INDEX events_by_session ON events (session, at);
CREATE INDEX events_by_key ON events (session, key) WHERE key IS NOT NULL;

-- What is worth finding again of an event, by rule. `indexed` says whether its words are in the search.
CREATE TABLE observations (
    id      INTEGER PRIMARY KEY,
    event   INTEGER NOT NULL REFERENCES events (seq),
    session INTEGER NOT NULL REFERENCES sessions (id),
    project INTEGER REFERENCES projects (id),
    kind    TEXT NOT NULL,
    agent   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    title   TEXT NOT NULL,
    body    TEXT NOT NULL,
    paths   TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX observations_by_project ON observations (project, at);
CREATE INDEX observations_by_event ON observations (event);

-- The words of observations, already cut into terms by our own analysis: rowid is observations.id.
CREATE VIRTUAL TABLE observation_words USING fts5 (
    title, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
);
INSERT INTO observation_words (observation_words, rank) VALUES ('secure-delete', 1);

CREATE TABLE progress (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

-- The injection ledger. `state` is offered until the hook confirms what it printed. `live` is cleared
-- when the context that had it is gone.
CREATE TABLE injections (
    id      TEXT PRIMARY KEY,
    at      INTEGER NOT NULL,
    host    TEXT NOT NULL,
    session TEXT NOT NULL,
    agent   TEXT NOT NULL,
    turn    TEXT,
    event   TEXT NOT NULL,
    project TEXT,
    state   TEXT NOT NULL,
    live    INTEGER NOT NULL DEFAULT 1,
    tokens  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX injections_by_session ON injections (host, session, agent, at);
CREATE INDEX injections_by_time ON injections (at);

-- `part` is body, index or text; `digest` tells whether the same words were given.
CREATE TABLE injection_items (
    injection TEXT NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    place     INTEGER NOT NULL,
    part      TEXT NOT NULL,
    file      TEXT NOT NULL,
    name      TEXT NOT NULL,
    scope     TEXT NOT NULL,
    step      TEXT NOT NULL,
    score     REAL,
    tokens    INTEGER NOT NULL,
    digest    TEXT NOT NULL,
    PRIMARY KEY (injection, place)
) WITHOUT ROWID;

-- Every choice, also the empty one.
CREATE TABLE choices (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    host    TEXT NOT NULL,
    session TEXT NOT NULL,
    step    TEXT NOT NULL,
    offered INTEGER NOT NULL,
    taken   INTEGER NOT NULL
);
CREATE INDEX choices_by_session ON choices (host, session, at);

-- What was saved and forgotten, so that the last of it can be taken back. `change` is JSON.
CREATE TABLE changes (
    id     INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    change TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0
);
