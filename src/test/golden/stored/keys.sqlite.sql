-- journal_mode wal
PRAGMA user_version = 0;
CREATE TABLE penstock_key_meta (id INTEGER NOT NULL PRIMARY KEY, schema_version INTEGER NOT NULL, version BIGINT NOT NULL);
CREATE TABLE penstock_keys (name VARCHAR(200) NOT NULL PRIMARY KEY, identity VARCHAR(200) NOT NULL UNIQUE, created_at BIGINT NOT NULL, sha256 CHAR(64) NOT NULL UNIQUE, previous_sha256 CHAR(64) UNIQUE, previous_until BIGINT, terms TEXT NOT NULL);
CREATE TABLE penstock_revocations (identity VARCHAR(200) NOT NULL PRIMARY KEY, requests VARCHAR(20) NOT NULL);
CREATE TABLE penstock_revoked_keys (identity VARCHAR(200) NOT NULL PRIMARY KEY, name VARCHAR(200) NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT NOT NULL);
INSERT INTO penstock_key_meta (id, schema_version, version) VALUES (1, 1, 9);
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('again', 'again@1790000000001', 1790000000001, '826ff0a55467212a105e071c8ae3218876f1f5d44cfc36a02d586f35f877750b', NULL, NULL, '{}');
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('full', 'full', 1790000000000, 'e3f400832b68883b87fd18c0014ec74d3b42aed88469253485a647ff53981418', NULL, NULL, '{"rpm":60,"tpm":10000,"rpd":1000,"concurrency":4,"budget_tokens_per_day":500000,"max_output_tokens":4000,"light_rpm":300,"models":{"gpt-4o":{"rpm":5,"tpm":6}},"group":"team","allowed_models":["claude","gpt-4o"],"allowed_endpoints":["/anthropic","/openai"],"priority":3,"max_priority":5,"weight":2,"expires_at":"2030-01-02T03:04:05Z","on_limit":"wait","max_output":"cap","strict_after_denial":true,"sharing":"eventual"}');
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('plain', 'plain', 1790000000000, '722aa643eb658f79ffef4c38d2f5e1bf476d169be26f339102ee031cb7d54c33', NULL, NULL, '{}');
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('rotated', 'rotated', 1790000000000, 'be58116cde72d25adf90fe532a177db4c5bba6dcca3a248c9e3deea1f2c1fe07', '1e64a7dc3611a2829f843f0b8ef2fd021136a6a86441e7f7d711cfd2f0a915dc', 1800000000000, '{}');
INSERT INTO penstock_revoked_keys (identity, name, created_at, revoked_at) VALUES ('again', 'again', 1790000000000, 1790000000000);
INSERT INTO penstock_revoked_keys (identity, name, created_at, revoked_at) VALUES ('removed', 'removed', 1790000000000, 1790000000000);
