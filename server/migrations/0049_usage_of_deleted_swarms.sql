-- Calls that are in progress when their swarm is deleted count in the budgets of their payer.
-- Nodes of the release before set none of the columns.
alter table private.budget_reservations
  add column framework text,
  add column model text,
  add column input_tokens bigint;

-- after functions

create trigger swarms_record_usage before delete on public.swarms for each row
  execute function private.record_usage_of_deleted_swarm();
