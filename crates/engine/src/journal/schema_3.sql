-- What is to be said of a choice: why a model made none, and how many names it made up.
ALTER TABLE choices ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- What language models cost, by day (as the person counts days), purpose and model. Tokens are the provider's own.
CREATE TABLE model_use (
    day     TEXT NOT NULL,
    purpose TEXT NOT NULL,
    model   TEXT NOT NULL,
    calls   INTEGER NOT NULL,
    failed  INTEGER NOT NULL,
    input   INTEGER NOT NULL,
    output  INTEGER NOT NULL,
    PRIMARY KEY (day, purpose, model)
) WITHOUT ROWID;
