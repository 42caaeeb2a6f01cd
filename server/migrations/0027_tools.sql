-- Secrets of tools, which are written and never read, and the tools that every installation has.

-- Their names alone can be read. What is written here begins, when secrets were sent, with an entry that holds all of them
-- encrypted: it is taken out before the row exists, so that neither the table nor its WAL ever has it.
alter table public.tools add column secret_names text[] not null default '{}'
  constraint tools_secret_names_count check (cardinality(secret_names) <= 20);

-- Written while the tool's row is being made, so that it can only be looked for at the end.
alter table private.tool_secrets alter constraint tool_secrets_tool_id_fkey deferrable initially deferred;
alter table private.tool_secrets add constraint tool_secrets_secrets_wrapped_size check (octet_length(secrets_wrapped) <= 65536);

create function private.host_of_tool(config jsonb) returns text language sql immutable set search_path = pg_catalog, pg_temp
as $$ select substring(lower(config ->> 'url') from '^https?://([^/?#]*)') $$;

create function private.keep_tool_secrets() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  is_sent constant boolean := coalesce(new.secret_names[1] like '=%', false);
  sealed bytea;
begin
  if is_sent then
    sealed := decode(substr(new.secret_names[1], 2), 'base64');
    new.secret_names := new.secret_names[2:];
  elsif tg_op = 'INSERT' then
    new.secret_names := '{}';
  elsif private.host_of_tool(new.config) is not distinct from private.host_of_tool(old.config) then
    new.secret_names := old.secret_names;
    return new;
  else
    -- What was meant for one host is not sent to another.
    new.secret_names := '{}';
  end if;
  if cardinality(new.secret_names) = 0 then
    if tg_op = 'UPDATE' then
      delete from private.tool_secrets s where s.tool_id = old.id;
    end if;
  elsif tg_op = 'UPDATE' then
    insert into private.tool_secrets as s (tool_id, secrets_wrapped) values (old.id, sealed)
      on conflict (tool_id) do update set secrets_wrapped = excluded.secrets_wrapped, updated_at = now();
  elsif not exists (select 1 from public.tools t where t.id = new.id) then
    -- Of an id that is taken this row will not come to be.
    insert into private.tool_secrets (tool_id, secrets_wrapped) values (new.id, sealed);
  end if;
  return new;
end
$$;
create trigger tools_keep_secrets before insert or update of secret_names, config on public.tools
  for each row execute function private.keep_tool_secrets();

insert into public.tools (id, owner_id, name, description, category, kind, visibility, timeout_ms, input_schema) values
  ('019a8000-0000-7000-8000-000000000001', null, 'current_time',
   'Tells the current date and time, in a time zone if one is named.', 'time', 'builtin', 'public', 5000,
   '{"type": "object", "properties": {"timezone": {"type": "string", "maxLength": 64,
     "description": "IANA name of a time zone, such as Europe/Berlin; UTC when left out"}}, "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000002', null, 'calculator',
   'Computes an arithmetic expression exactly as it is written: + - * / % ^, parentheses, sqrt, abs, round, floor, ceil, min, max, log, ln, exp, sin, cos, tan, pi, e.',
   'math', 'builtin', 'public', 5000,
   '{"type": "object", "properties": {"expression": {"type": "string", "minLength": 1, "maxLength": 1000,
     "description": "for example (3 + 4) * 2 ^ 10"}}, "required": ["expression"], "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000003', null, 'json_query',
   'Picks a part of a JSON text: by a path such as items[0].name or items[*].id, or by a JSON Pointer such as /items/0/name.',
   'data', 'builtin', 'public', 5000,
   '{"type": "object", "properties": {"json": {"type": "string", "maxLength": 60000, "description": "the JSON text"},
     "path": {"type": "string", "maxLength": 500, "description": "the path; empty for the whole"}},
     "required": ["json", "path"], "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000004', null, 'http_get',
   'Fetches a public HTTPS address by GET and gives back its text. Redirects are not followed.', 'web', 'builtin', 'public', 15000,
   '{"type": "object", "properties": {"url": {"type": "string", "minLength": 9, "maxLength": 2048, "description": "begins with https://"}},
     "required": ["url"], "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000005', null, 'search_messages',
   'Finds earlier messages of this conversation that contain a text, newest first.', 'conversation', 'builtin', 'public', 10000,
   '{"type": "object", "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 200, "description": "the text, in any case"},
     "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "at most so many; 10 when left out"}},
     "required": ["query"], "additionalProperties": false}')
on conflict (owner_id, name) do nothing;
