-- The parsed value of an answer that a response_schema asked for. Only the run engine writes it. The bound is larger
-- than any value that the engine accepts, because numbers can take more bytes here than in the text of the answer.

alter table public.messages add column data jsonb
  constraint messages_data_size check (octet_length(data::text) <= 2097152);

-- after functions

create trigger messages_freeze_data before update on public.messages for each row
  when (current_user in ('anon', 'authenticated', 'service_role') and new.data is distinct from old.data)
  execute function private.reject_change('data');
