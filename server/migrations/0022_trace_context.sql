-- The W3C trace context of the request that caused an event, for the spans of its deliveries. Null unless the service
-- records the trace of the request. The queue keeps it for retries; both rows are deleted after use.

-- Returns the W3C trace context, or null when the text is not one.
create function private.parse_traceparent(header text) returns text language sql immutable parallel safe
as $$ select pg_catalog.substring(header, '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') $$;
grant execute on function private.parse_traceparent(text) to sb_service;

-- Returns the trace context of the request that makes this change; null unless the request is recorded.
create function private.get_traceparent() returns text language sql stable parallel safe
as $$ select private.parse_traceparent(pg_catalog.current_setting('swarmbase.traceparent', true)) $$;
grant execute on function private.get_traceparent() to sb_service;

alter table private.events add column traceparent text default private.get_traceparent()
  constraint events_traceparent_valid check (traceparent is not distinct from private.parse_traceparent(traceparent));
alter table private.webhook_queue add column traceparent text constraint webhook_queue_traceparent_valid
  check (traceparent is not distinct from private.parse_traceparent(traceparent));

-- They return one column more: the function files create the new ones.
drop function if exists private.fan_out_events(integer, interval, uuid, interval, integer, integer, uuid[], integer[],
  uuid[], integer);
drop function if exists private.claim_webhook_deliveries(uuid, interval, integer, integer, integer, uuid[], integer[],
  uuid[], integer);
