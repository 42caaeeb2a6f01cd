-- Profiles, settings and API keys.

comment on table public.profiles is
'Name and picture of a user.

The service creates the row with the account and deletes it with the account.

Guide: accounts';
comment on column public.profiles.id is 'The id of the user.';
comment on column public.profiles.email is
  'The address of the account, kept up to date by the service. `PUT /auth/v1/user` changes it.';
comment on column public.profiles.full_name is 'The name that others see.';
comment on column public.profiles.avatar_url is 'An `http` or `https` URL of a picture.';
comment on column public.profiles.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.profiles.updated_at is 'When the row changed last. A sent value is ignored.';

comment on view public.public_profiles is
'Names and pictures of people who share a swarm with you, and your own.

Guide: swarms';
comment on column public.public_profiles.id is 'The id of the user.';
comment on column public.public_profiles.full_name is 'The name of the user.';
comment on column public.public_profiles.avatar_url is 'A URL of a picture.';

comment on table public.api_keys is
'Your API keys, without the keys themselves.

The function `api-keys` creates and revokes keys. A revoked key has no row.

An expired key keeps its row for `AUTH_RETENTION_DAYS`.

Guide: api-keys';
comment on column public.api_keys.id is 'The id, a UUID that sorts by time.';
comment on column public.api_keys.user_id is 'The user for whom the key stands.';
comment on column public.api_keys.name is 'What you call the key.';
comment on column public.api_keys.scopes is
  'What the key may do, and nothing else: `read`, `write`, `run`, `approve`, `share`, `secrets`.';
comment on column public.api_keys.prefix is 'The first characters of the key.';
comment on column public.api_keys.expires_at is 'When the key expires; null if it does not.';
comment on column public.api_keys.last_used_at is
  'When the key was last used, to the minute; null if it was not used yet.';
comment on column public.api_keys.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.api_keys.resources is
  'The `agents` and `swarms` that the key is bound to; null if it is not bound.';
comment on column public.api_keys.client_id is
  'Null. Rows of programs that a user has let in, which have an OAuth client here, are for the service role alone.';

comment on table public.user_settings is
'Preferences and budgets of a user.

The service creates the row with the account and deletes it with the account.

Guide: accounts';
comment on column public.user_settings.user_id is 'The id of the user.';
comment on column public.user_settings.theme is 'For user interfaces.';
comment on column public.user_settings.locale is 'For user interfaces, such as `en-GB`.';
comment on column public.user_settings.timezone is 'For user interfaces, such as `Europe/Berlin`.';
comment on column public.user_settings.default_framework is 'For user interfaces that create agents.';
comment on column public.user_settings.notifications is 'For user interfaces: which notifications the user wants.';
comment on column public.user_settings.preferences is 'For user interfaces: anything else.';
comment on column public.user_settings.daily_token_budget is
  'Tokens that runs paid by the user can use in a day (UTC); null for no limit.';
comment on column public.user_settings.daily_cost_budget_usd is
  'USD that runs paid by the user can cost in a day (UTC); null for no limit.';
comment on column public.user_settings.require_request_signature is
  'Requests of the user need a valid `X-Request-Signature`.';
comment on column public.user_settings.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.user_settings.updated_at is 'When the row changed last. A sent value is ignored.';
comment on column public.user_settings.require_message_signature is
  'Requests of the user need a valid HTTP message signature.';
comment on column public.user_settings.imposed_daily_token_budget is
  'As `daily_token_budget`, set by the operator of the service; the smaller one applies. Only the service role can '
  'change it.';
comment on column public.user_settings.imposed_daily_cost_budget_usd is
  'As `daily_cost_budget_usd`, set by the operator of the service; the smaller one applies. Only the service role can '
  'change it.';
comment on column public.user_settings.imposed_daily_runs is
  'Runs paid by the user that can call a model in a day (UTC), set by the operator of the service; null for no limit. '
  'Only the service role can change it.';
