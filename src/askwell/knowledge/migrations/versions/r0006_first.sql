-- The tables, keys and indexes of the first release, as PostgreSQL has them.

CREATE TABLE record_version (
  version SERIAL NOT NULL,
  PRIMARY KEY (version)
);

CREATE TABLE write_check (
  id SERIAL NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE jobs (
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  project_id TEXT NOT NULL,
  idempotency_key TEXT,
  body_hash TEXT NOT NULL,
  status TEXT,
  label TEXT,
  owner TEXT,
  worker TEXT,
  request JSON NOT NULL,
  result JSON,
  parked JSON,
  person JSON,
  attempts INTEGER NOT NULL,
  accepted_at BIGINT NOT NULL,
  finished_at BIGINT,
  parked_until BIGINT,
  PRIMARY KEY (id),
  UNIQUE (project_id, kind, idempotency_key)
);

CREATE INDEX jobs_by_end ON jobs (finished_at);

CREATE INDEX jobs_of_project ON jobs (project_id, kind, accepted_at);

CREATE INDEX open_jobs ON jobs (kind, accepted_at) WHERE finished_at IS NULL;

CREATE TABLE workers (
  id TEXT NOT NULL,
  host TEXT,
  version TEXT,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE manifests (
  project_id TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  manifest TEXT NOT NULL,
  stored_at BIGINT NOT NULL,
  sampled_values JSON,
  warnings JSON,
  link_candidates JSON,
  PRIMARY KEY (project_id, content_hash)
);

CREATE TABLE labels (
  project_id TEXT NOT NULL,
  label TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  PRIMARY KEY (project_id, label)
);

CREATE TABLE current_models (
  project_id TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  label TEXT NOT NULL,
  PRIMARY KEY (project_id)
);

CREATE TABLE sql_pairs (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  question TEXT NOT NULL,
  question_key TEXT NOT NULL,
  sql TEXT NOT NULL,
  parameters JSON NOT NULL,
  stored_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE INDEX sql_pairs_by_question ON sql_pairs (project_id, question_key);

CREATE TABLE instructions (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  instruction TEXT NOT NULL,
  scope TEXT NOT NULL,
  questions JSON NOT NULL,
  is_default INTEGER NOT NULL,
  stored_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE TABLE keywords (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  pattern TEXT NOT NULL,
  tables JSON NOT NULL,
  stored_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE TABLE lessons (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  about TEXT NOT NULL,
  origin TEXT NOT NULL,
  status TEXT NOT NULL,
  note TEXT NOT NULL,
  body JSON NOT NULL,
  sources JSON NOT NULL,
  replaces JSON NOT NULL,
  uses INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE TABLE documents (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  source TEXT NOT NULL,
  format TEXT NOT NULL,
  content_hash TEXT,
  status TEXT NOT NULL,
  tags JSON NOT NULL,
  error JSON,
  chunks INTEGER NOT NULL,
  bytes BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE TABLE uploads (
  project_id TEXT NOT NULL,
  document_id TEXT NOT NULL,
  format TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (project_id, document_id)
);

CREATE TABLE chunks (
  project_id TEXT NOT NULL,
  document_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  locator TEXT NOT NULL,
  heading TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (project_id, document_id, place)
);

CREATE TABLE threads (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  title TEXT NOT NULL,
  owner TEXT,
  variables JSON NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE INDEX threads_by_time ON threads (project_id, updated_at);

CREATE TABLE messages (
  place BIGSERIAL NOT NULL,
  project_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  role TEXT NOT NULL,
  parts JSON NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (place),
  UNIQUE (project_id, thread_id, id)
);

CREATE TABLE run_events (
  run_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  event JSON NOT NULL,
  PRIMARY KEY (run_id, place)
);

CREATE TABLE client_runs (
  project_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  segment INTEGER NOT NULL,
  PRIMARY KEY (project_id, client_id)
);

CREATE TABLE agents (
  project_id TEXT NOT NULL,
  id TEXT NOT NULL,
  definition JSON NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE TABLE embeddings (
  embedder TEXT NOT NULL,
  text_hash BYTEA NOT NULL,
  vector BYTEA NOT NULL,
  PRIMARY KEY (embedder, text_hash)
);

CREATE TABLE texts_in_use (
  project_id TEXT NOT NULL,
  shelf TEXT NOT NULL,
  edition TEXT NOT NULL,
  hashes BYTEA NOT NULL,
  noted_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, shelf, edition)
);

CREATE TABLE api_keys (
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL,
  former_hash TEXT,
  made_by TEXT,
  projects JSON,
  attributes JSON NOT NULL,
  former_until BIGINT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  used_at BIGINT,
  revoked_at BIGINT,
  PRIMARY KEY (id)
);

CREATE TABLE ended_tokens (
  id TEXT NOT NULL,
  until BIGINT NOT NULL,
  PRIMARY KEY (id)
);
