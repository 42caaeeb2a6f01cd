-- A key belongs to the run that a call started, or to the rows that a write returned.

alter table private.idempotency_keys add column result text[];
comment on column private.idempotency_keys.result is
  'The rows that a write returned, from which its response is built again. Null: none, or the key belongs to a run.';
