-- An approval belongs to the server and the credential that a tool uses: a tool that is stored later for the same
-- server asks too, whoever stores it, until a person or a key with `approve` switches its approval off.

create table private.approval_servers (
  owner_id uuid not null constraint approval_servers_owner_id_fkey references auth.users on delete cascade,
  server text not null,
  constraint approval_servers_pkey primary key (owner_id, server)
);
alter table private.approval_servers enable row level security;
grant select, insert, update, delete on private.approval_servers to sb_service;

-- after functions

create policy approval_servers_service on private.approval_servers to sb_service using (true) with check (true);
create trigger tools_keep_approval before insert or update of kind, config, secret_names, requires_approval
  on public.tools for each row execute function private.keep_tool_approval();
create trigger tools_release_server after update of requires_approval, config or delete on public.tools for each row
  when (old.requires_approval) execute function private.release_approval_server();
