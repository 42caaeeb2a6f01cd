-- A method that is switched off and yet has no alternative adds 10^10 to the cost of a plan, up to PostgreSQL 17. Such a plan passes
-- jit_above_cost, and every execution compiled it, which took a second. Sorts have no alternative here: rows of a batch and members of
-- an aggregate are sorted in any case. What keeps transcripts in the order of their index is the switch for bitmaps. Joins by hash or
-- merge were never chosen where tables are not read whole. See docs/decisions/0009-planner-switches.md.
alter function private.survey_swarms reset enable_hashjoin reset enable_mergejoin;
alter function private.admit_runs reset enable_hashjoin reset enable_mergejoin reset enable_sort;
alter function private.end_runs reset enable_hashjoin reset enable_mergejoin;
alter function private.read_transcript reset enable_sort;

-- The estimates of these statements grow with tables that were never analysed; what they read does not.
alter function private.survey_swarms set jit = off;
alter function private.admit_runs set jit = off;
alter function private.end_runs set jit = off;
alter function private.read_transcript set jit = off;
alter function private.claim_webhook_deliveries set jit = off;
alter function private.fan_out_events set jit = off;
alter function private.record_webhook_attempts set jit = off;
