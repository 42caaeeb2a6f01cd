-- A kind of tools with the name of its extension is the name alone: `a2a`. The kinds of the core are listed as well.
alter table public.tools
  drop constraint tools_kind_known,
  add constraint tools_kind_known check (
    kind in ('builtin', 'http', 'mcp', 'client') or kind ~ '^[a-z][a-z0-9-]{0,39}([.][a-z][a-z0-9_]{0,39})?$');

-- Everybody can read the cards of published agents and swarms, so finding them must not read all rows. The expression
-- is that of the filter `settings->>a2a_published=eq.true`.
create index agents_a2a_published_idx on public.agents ((settings ->> 'a2a_published'))
  where settings ->> 'a2a_published' is not null;
create index swarms_a2a_published_idx on public.swarms ((settings ->> 'a2a_published'))
  where settings ->> 'a2a_published' is not null;
