CREATE TABLE asks (
	id TEXT NOT NULL, 
	project_id TEXT NOT NULL, 
	request JSON NOT NULL, 
	question_key TEXT NOT NULL, 
	idempotency_key TEXT, 
	body_hash TEXT NOT NULL, 
	accepted_at BIGINT NOT NULL, 
	attempts INTEGER NOT NULL, 
	status TEXT, 
	result JSON, 
	finished_at BIGINT, 
	PRIMARY KEY (id), 
	UNIQUE (project_id, idempotency_key)
);
CREATE INDEX asks_by_end ON asks (finished_at);
INSERT INTO asks (id, project_id, request, idempotency_key, body_hash, question_key, accepted_at, attempts) VALUES ('a1', 'shop', '{"query": "how many orders"}', 'k1', 'h', 'how many orders', 1767225600000000, 1);
INSERT INTO asks (id, project_id, request, body_hash, question_key, accepted_at, attempts, status, result, finished_at) VALUES ('a2', 'shop', '{"query": "what is one"}', 'h', 'what s one', 1767225600000000, 1, 'finished', '{"result": {"status": "finished", "response": [{"sql": "SELECT 1"}]}, "text": "It is one."}', 1767225660000000);
CREATE TABLE current_models (
	project_id TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	label TEXT NOT NULL, 
	PRIMARY KEY (project_id)
);
INSERT INTO current_models (project_id, label, content_hash) VALUES ('shop', 'v1', 'c1');
CREATE TABLE embeddings (
	embedder TEXT NOT NULL, 
	text_hash BYTEA NOT NULL, 
	vector BYTEA NOT NULL, 
	PRIMARY KEY (embedder, text_hash)
);
INSERT INTO embeddings (embedder, text_hash, vector) VALUES ('minilm', '\x0101010101010101010101010101010101010101010101010101010101010101', '\x007fff');
CREATE TABLE instructions (
	project_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	instruction TEXT NOT NULL, 
	questions JSON NOT NULL, 
	is_default INTEGER NOT NULL, 
	scope TEXT NOT NULL, 
	stored_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, id)
);
INSERT INTO instructions (project_id, id, instruction, questions, is_default, scope, stored_at) VALUES ('shop', 'i1', 'Count paid orders only.', '[]', 1, 'sql', 1767225600000000);
CREATE TABLE knowledge_events (
	id TEXT NOT NULL, 
	project_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	status TEXT NOT NULL, 
	error_code TEXT, 
	error_message TEXT, 
	happened_at BIGINT NOT NULL, 
	warnings JSON, 
	PRIMARY KEY (id)
);
INSERT INTO knowledge_events (id, project_id, kind, status, happened_at) VALUES ('e1', 'shop', 'sql_pair', 'finished', 1767225600000000);
CREATE TABLE labels (
	project_id TEXT NOT NULL, 
	label TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	PRIMARY KEY (project_id, label)
);
INSERT INTO labels (project_id, label, content_hash) VALUES ('shop', 'v1', 'c1');
CREATE TABLE manifests (
	project_id TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	manifest TEXT NOT NULL, 
	stored_at BIGINT NOT NULL, 
	sampled_values JSON, 
	warnings JSON, 
	PRIMARY KEY (project_id, content_hash)
);
INSERT INTO manifests (project_id, content_hash, manifest, stored_at, sampled_values, warnings) VALUES ('shop', 'c1', '{"models": [{"name": "orders", "columns": [{"name": "id", "type": "integer"}]}]}', 1767225600000000, '[["orders", "state", ["open", "closed"]]]', '["mind the gap"]');
CREATE TABLE preparations (
	project_id TEXT NOT NULL, 
	label TEXT NOT NULL, 
	content_hash TEXT, 
	status TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	error_code TEXT, 
	error_message TEXT, 
	error_hint TEXT, 
	warnings JSON NOT NULL, 
	started_at BIGINT NOT NULL, 
	finished_at BIGINT, 
	PRIMARY KEY (project_id, label)
);
CREATE INDEX preparations_by_status ON preparations (status);
INSERT INTO preparations (project_id, label, content_hash, status, attempts, warnings, started_at, finished_at) VALUES ('shop', 'v1', 'c1', 'finished', 1, '["mind the gap"]', 1767225600000000, 1767225660000000);
INSERT INTO preparations (project_id, label, content_hash, status, attempts, warnings, started_at) VALUES ('shop', 'v2', 'c2', 'indexing', 1, '[]', 1767225600000000);
CREATE TABLE record_version (
	version SERIAL NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO record_version (version) VALUES (1);
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
INSERT INTO sql_pairs (project_id, id, question, question_key, sql, parameters, stored_at) VALUES ('shop', 'p1', 'How many orders?', 'how many orders', 'SELECT count(*) FROM orders WHERE state = ''open''', '[]', 1767225600000000);
