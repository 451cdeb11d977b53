-- `content` is a digest of what an observation says, whoever says it: equal ones become one. `last_at` is when it
-- was made last.
ALTER TABLE observations ADD COLUMN content BLOB;
ALTER TABLE observations ADD COLUMN last_at INTEGER NOT NULL DEFAULT 0;
UPDATE observations SET last_at = at;
CREATE INDEX observations_by_content ON observations (project, content) WHERE content IS NOT NULL;

-- What lists and filters look at, without touching the texts that lie beside it in the table.
DROP INDEX observations_by_project;
CREATE INDEX observations_by_project ON observations (project, last_at, session, at, kind);
CREATE INDEX observations_by_session ON observations (session, at, event, kind, agent);
CREATE INDEX observations_facets ON observations (id, project, last_at, session, at, kind);

-- The files that an observation is about: `name` is the last part of the path.
CREATE TABLE observation_paths (
    observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    path        TEXT NOT NULL,
    name        TEXT NOT NULL,
    PRIMARY KEY (observation, path)
) WITHOUT ROWID;
CREATE INDEX observation_paths_by_path ON observation_paths (path);
CREATE INDEX observation_paths_by_name ON observation_paths (name, path);
INSERT OR IGNORE INTO observation_paths (observation, path, name)
     SELECT observations.id, json_each.value,
            replace(json_each.value, rtrim(json_each.value, replace(json_each.value, '/', '')), '')
       FROM observations, json_each(observations.paths) WHERE json_each.type = 'text';

-- An event that said what an observation says already makes no observation of its own.
CREATE TABLE repeats (
    event       INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
    observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    session     INTEGER NOT NULL REFERENCES sessions (id),
    at          INTEGER NOT NULL,
    agent       TEXT NOT NULL
);
CREATE INDEX repeats_by_session ON repeats (session, at);
CREATE INDEX repeats_by_observation ON repeats (observation);

-- On which days an observation was made: at most ten, the newest.
CREATE TABLE reinforcements (
    observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    day         TEXT NOT NULL,
    PRIMARY KEY (observation, day)
) WITHOUT ROWID;

-- What is to be done in a project. `key` is the text's normal content: the latest state of it wins.
-- `list` names the host's own list that an item stands in, if it stands in one.
CREATE TABLE work_items (
    id         INTEGER PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects (id),
    key        TEXT NOT NULL,
    text       TEXT NOT NULL,
    state      TEXT NOT NULL,
    host       TEXT NOT NULL,
    session    TEXT NOT NULL,
    list       TEXT NOT NULL,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    UNIQUE (project, key)
);
CREATE INDEX work_items_by_list ON work_items (project, list);
