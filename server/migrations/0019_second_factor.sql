-- Second factors: sessions know whether their user has a verified factor.

-- A copy of the state of the user's factors, because every request reads its session's row anyway.
alter table auth.sessions add column requires_aal2 boolean not null default false;

update auth.sessions s set requires_aal2 = true
  where exists (select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified');

-- after functions

create trigger mfa_factors_sync_sessions after insert or update of status or delete on auth.mfa_factors for each row
  execute function private.sync_second_factor();
