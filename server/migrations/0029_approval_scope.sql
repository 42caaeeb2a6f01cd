-- An API key that may not decide about tool calls must not make their approval unnecessary either.

-- after functions

create trigger tools_require_approve_scope before update on public.tools for each row
  when (old.requires_approval and not new.requires_approval)
  execute function private.require_key_scope('approve');
