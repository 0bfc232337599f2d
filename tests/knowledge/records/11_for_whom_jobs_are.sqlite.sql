CREATE TABLE agents (
	project_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	definition JSON NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, id)
);
INSERT INTO agents (project_id, id, definition, updated_at) VALUES ('shop', 'g1', '{"name": "Ann"}', 1767225600000000);
CREATE TABLE chunks (
	project_id TEXT NOT NULL, 
	document_id TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	locator TEXT NOT NULL, 
	heading TEXT NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (project_id, document_id, place)
);
INSERT INTO chunks (project_id, document_id, place, locator, heading, text) VALUES ('shop', 'd1', 0, 'line 1', '', '30 days');
CREATE TABLE client_runs (
	project_id TEXT NOT NULL, 
	client_id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	segment INTEGER NOT NULL, 
	PRIMARY KEY (project_id, client_id)
);
INSERT INTO client_runs (project_id, client_id, run_id, segment) VALUES ('shop', 'mine', 'r1', 0);
CREATE TABLE current_models (
	project_id TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	label TEXT NOT NULL, 
	PRIMARY KEY (project_id)
);
INSERT INTO current_models (project_id, label, content_hash) VALUES ('shop', 'v1', 'c1');
CREATE TABLE documents (
	project_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	source TEXT NOT NULL, 
	format TEXT NOT NULL, 
	tags JSON NOT NULL, 
	bytes BIGINT NOT NULL, 
	content_hash TEXT, 
	chunks INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	error JSON, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, id)
);
INSERT INTO documents (project_id, id, title, source, format, tags, bytes, content_hash, chunks, status, created_at) VALUES ('shop', 'd1', 'Terms', 'terms.txt', 'text', '["law"]', 4, 'x', 1, 'indexed', 1767225600000000);
CREATE TABLE embeddings (
	embedder TEXT NOT NULL, 
	text_hash BLOB NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (embedder, text_hash)
);
INSERT INTO embeddings (embedder, text_hash, vector) VALUES ('minilm', X'0101010101010101010101010101010101010101010101010101010101010101', X'007fff');
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
	owner TEXT, 
	person JSON, 
	PRIMARY KEY (id), 
	UNIQUE (project_id, kind, idempotency_key)
);
CREATE INDEX jobs_by_end ON jobs (finished_at);
CREATE INDEX jobs_of_project ON jobs (project_id, kind, accepted_at);
INSERT INTO jobs (id, kind, project_id, request, idempotency_key, body_hash, accepted_at, attempts, owner, person) VALUES ('a1', 'ask', 'shop', '{"query": "how many orders"}', 'k1', 'h', 1767225600000000, 1, 'ann', '{"id": "ann"}');
INSERT INTO jobs (id, kind, project_id, request, body_hash, accepted_at, attempts, status, result, finished_at, parked, owner) VALUES ('a2', 'ask', 'shop', '{"query": "what is one"}', 'h', 1767225600000000, 1, 'finished', '{"result": {"status": "finished", "response": [{"sql": "SELECT 1"}]}, "text": "It is one."}', 1767225660000000, '{"question": "which one"}', '');
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
CREATE TABLE lessons (
	project_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	about TEXT NOT NULL, 
	body JSON NOT NULL, 
	origin TEXT NOT NULL, 
	status TEXT NOT NULL, 
	note TEXT NOT NULL, 
	uses INTEGER NOT NULL, 
	successes INTEGER NOT NULL, 
	sources JSON NOT NULL, 
	replaces JSON NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, id)
);
INSERT INTO lessons (project_id, id, kind, about, body, origin, status, note, uses, successes, sources, replaces, created_at) VALUES ('shop', 'l1', 'metric', 'sales', '{"words": ["sales"]}', 'manual', 'active', '', 3, 2, '[]', '[]', 1767225600000000);
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
CREATE TABLE messages (
	place INTEGER NOT NULL, 
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
INSERT INTO messages (project_id, thread_id, id, run_id, role, parts, created_at) VALUES ('shop', 't1', 'm1', 'r1', 'user', '[{"type": "text", "text": "hello"}]', 1767225600000000);
CREATE TABLE record_version (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO record_version (version) VALUES (2);
CREATE TABLE run_events (
	run_id TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	segment INTEGER NOT NULL, 
	event JSON NOT NULL, 
	PRIMARY KEY (run_id, place)
);
INSERT INTO run_events (run_id, place, segment, event) VALUES ('r1', 1, 0, '{"type": "RUN_STARTED"}');
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
	hashes BLOB NOT NULL, 
	noted_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, shelf, edition)
);
INSERT INTO texts_in_use (project_id, shelf, edition, hashes, noted_at) VALUES ('shop', 'tables', 'c1', X'0101010101010101010101010101010101010101010101010101010101010101', 1767225600000000);
CREATE TABLE threads (
	project_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	agent_id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	variables JSON NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (project_id, id)
);
CREATE INDEX threads_by_time ON threads (project_id, updated_at);
INSERT INTO threads (project_id, id, agent_id, title, variables, created_at, updated_at) VALUES ('shop', 't1', 'g1', 'Orders', '{}', 1767225600000000, 1767225660000000);
CREATE TABLE uploads (
	project_id TEXT NOT NULL, 
	document_id TEXT NOT NULL, 
	format TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (project_id, document_id)
);
INSERT INTO uploads (project_id, document_id, format, content_hash, content) VALUES ('shop', 'd2', 'text', 'y', X'6d6f726520776f726473');
CREATE TABLE write_check (
	id INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO write_check (id, content) VALUES (1, X'0001');
