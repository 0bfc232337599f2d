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
CREATE TABLE jobs (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	project_id TEXT NOT NULL, 
	request JSON NOT NULL, 
	idempotency_key TEXT, 
	body_hash TEXT NOT NULL, 
	accepted_at BIGINT NOT NULL, 
	attempts INTEGER NOT NULL, 
	status TEXT, 
	result JSON, 
	finished_at BIGINT, 
	label TEXT, 
	parked JSON, 
	PRIMARY KEY (id), 
	UNIQUE (project_id, kind, idempotency_key)
);
CREATE INDEX jobs_by_end ON jobs (finished_at);
CREATE INDEX jobs_of_project ON jobs (project_id, kind, accepted_at);
INSERT INTO jobs (id, kind, project_id, request, idempotency_key, body_hash, accepted_at, attempts) VALUES ('a1', 'ask', 'shop', '{"query": "how many orders"}', 'k1', 'h', 1767225600000000, 1);
INSERT INTO jobs (id, kind, project_id, request, body_hash, accepted_at, attempts, status, result, finished_at, parked) VALUES ('a2', 'ask', 'shop', '{"query": "what is one"}', 'h', 1767225600000000, 1, 'finished', '{"result": {"status": "finished", "response": [{"sql": "SELECT 1"}]}, "text": "It is one."}', 1767225660000000, '{"question": "which one"}');
CREATE TABLE keywords (
	project_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	pattern TEXT NOT NULL, 
	tables JSON NOT NULL, 
	stored_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, id)
);
INSERT INTO keywords (project_id, id, pattern, tables, stored_at) VALUES ('shop', 'w1', 'returns?', '["orders"]', 1767225600000000);
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
	link_candidates JSON, 
	PRIMARY KEY (project_id, content_hash)
);
INSERT INTO manifests (project_id, content_hash, manifest, stored_at, sampled_values, warnings) VALUES ('shop', 'c1', '{"models": [{"name": "orders", "columns": [{"name": "id", "type": "integer"}]}]}', 1767225600000000, '[["orders", "state", ["open", "closed"]]]', '["mind the gap"]');
CREATE TABLE record_version (
	version SERIAL NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO record_version (version) VALUES (2);
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
CREATE TABLE texts_in_use (
	project_id TEXT NOT NULL, 
	shelf TEXT NOT NULL, 
	edition TEXT NOT NULL, 
	hashes BYTEA NOT NULL, 
	noted_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, shelf, edition)
);
INSERT INTO texts_in_use (project_id, shelf, edition, hashes, noted_at) VALUES ('shop', 'tables', 'c1', '\x0101010101010101010101010101010101010101010101010101010101010101', 1767225600000000);
CREATE TABLE write_check (
	id SERIAL NOT NULL, 
	content BYTEA NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO write_check (id, content) VALUES (1, '\x0001');
