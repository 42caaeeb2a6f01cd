-- Extensions add kinds of tools, which are named <extension>.<kind>. Whether a node has the extension is not known
-- here.

alter table public.tools
  drop constraint tools_kind_known,
  add constraint tools_kind_known
    check (kind in ('builtin', 'http', 'mcp') or kind ~ '^[a-z][a-z0-9-]{0,39}[.][a-z][a-z0-9_]{0,39}$');
