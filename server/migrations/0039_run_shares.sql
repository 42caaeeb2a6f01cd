-- Runs are claimed with a share for each user, which is a further parameter.
drop function if exists private.claim_runs(text, integer, integer, text[], integer[]);
