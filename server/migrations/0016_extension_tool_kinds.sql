-- Extensions add kinds of tools, named <extension>.<kind>. The database does not know which extensions a node has.

alter table public.tools
  drop constraint tools_kind_known,
  add constraint tools_kind_known
    check (kind in ('builtin', 'http', 'mcp') or kind ~ '^[a-z][a-z0-9-]{0,39}[.][a-z][a-z0-9_]{0,39}$');
