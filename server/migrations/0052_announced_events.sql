-- A transaction that makes work for the webhook workers tells the service so.

-- after functions

create trigger events_announce before insert on private.events for each row
  when (pg_catalog.current_setting('swarmbase.is_webhook_work_announced', true) is distinct from 'on')
  execute function private.announce_webhook_work();

create trigger webhook_resumptions_announce before insert on private.webhook_resumptions for each row
  when (pg_catalog.current_setting('swarmbase.is_webhook_work_announced', true) is distinct from 'on')
  execute function private.announce_webhook_work();
