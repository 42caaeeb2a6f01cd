-- Event feeds and event types.

comment on table public.event_feeds is
'Events that a receiver without an address reads.

A user has at most 100 feeds.

The function `events` reads them, and stores how far a consumer is.

Events are removed after `WEBHOOK_RETENTION_DAYS`.

Guide: app-events';
comment on column public.event_feeds.id is 'The id, a UUID that sorts by time.';
comment on column public.event_feeds.user_id is 'The owner. It cannot change.';
comment on column public.event_feeds.name is 'Spaces at both ends are removed.';
comment on column public.event_feeds.events is 'The event types; those of the app are rows of `event_types`.';
comment on column public.event_feeds.filter is
  'Conditions on the envelope, as of a webhook. Events that do not meet them are not in the feed, and counted in '
  '`event_feed_backlog`. Null, or an empty object: all are.';
comment on column public.event_feeds.receives_app_events is
  'Whether events of the app that name neither a user nor a swarm are in the feed. Only the service role sets it.';
comment on column public.event_feeds.api_version is 'The version of the envelopes. Fixed when the feed is created.';
comment on column public.event_feeds.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.event_feeds.updated_at is 'When the row changed last. A sent value is ignored.';

comment on view public.event_feed_backlog is
'How many events each of your feeds has, how many its filter has skipped, and how far its consumers are.

Guide: app-events';
comment on column public.event_feed_backlog.feed_id is 'The feed.';
comment on column public.event_feed_backlog.events is 'Events that can be read.';
comment on column public.event_feed_backlog.skipped is 'Events that the filter of the feed did not let pass.';
comment on column public.event_feed_backlog.consumers is
  'Those that have committed: `consumer`, its `cursor`, the events that are `waiting` behind it, and `committed_at`.';

comment on table public.event_types is
'The types of the app''s own events.

`emit_event` and the function `events` emit events of these types.

`swarmbase apply` writes them from files.

Guide: app-events';
comment on column public.event_types.id is 'The id, a UUID that sorts by time.';
comment on column public.event_types.name is
  '`app.` and words of lower-case letters, digits and `_`, joined by dots. It cannot change.';
comment on column public.event_types.description is 'When it is emitted, for those who subscribe.';
comment on column public.event_types.schema is
  'JSON Schema of `data`. The function `events` rejects events that do not satisfy it; SQL and `rpc` do not check it.';
comment on column public.event_types.example is 'An example of `data`, which `test-webhook` sends.';
comment on column public.event_types.users_may_emit is
  'Whether users may emit it, for themselves and for swarms that they belong to.';
comment on column public.event_types.listed is
  'If false, users neither see the type nor can subscribe to it or emit it.';
comment on column public.event_types.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.event_types.updated_at is 'When the row changed last. A sent value is ignored.';

comment on function public.emit_event(text, json, uuid, uuid) is
'Emit an event of the app

Emits one event in the transaction of the call, with the rights of the caller, as SQL does. The function `events` emits
several, and checks the schema of their data.';
