-- Profiles and settings of users. A trigger creates both rows in the transaction that creates the user.

create table public.profiles (
  id uuid constraint profiles_pkey primary key
    constraint profiles_id_fkey references auth.users on delete cascade,
  email text,
  full_name text constraint profiles_full_name_length check (char_length(full_name) <= 200),
  avatar_url text constraint profiles_avatar_url_length check (char_length(avatar_url) <= 2048)
                  constraint profiles_avatar_url_http check (avatar_url ~* '^https?://[^/?#\s]'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table public.profiles enable row level security;
grant select, update on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role, sb_service;

create table public.user_settings (
  user_id uuid constraint user_settings_pkey primary key
    constraint user_settings_user_id_fkey references auth.users on delete cascade,
  theme text constraint user_settings_theme_length check (char_length(theme) <= 50),
  locale text constraint user_settings_locale_length check (char_length(locale) <= 35),
  timezone text constraint user_settings_timezone_length check (char_length(timezone) <= 64),
  default_framework text constraint user_settings_default_framework_known
    check (default_framework in ('provider_a', 'provider_b', 'provider_c')),
  notifications jsonb not null default '{}'
    constraint user_settings_notifications_object check (jsonb_typeof(notifications) = 'object')
    constraint user_settings_notifications_size check (octet_length(notifications::text) <= 32768),
  preferences jsonb not null default '{}'
    constraint user_settings_preferences_object check (jsonb_typeof(preferences) = 'object')
    constraint user_settings_preferences_size check (octet_length(preferences::text) <= 32768),
  daily_token_budget bigint constraint user_settings_daily_token_budget_range check (daily_token_budget >= 0),
  daily_cost_budget_usd numeric(18, 9) constraint user_settings_daily_cost_budget_usd_range
    check (daily_cost_budget_usd >= 0),
  require_request_signature boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  require_message_signature boolean not null default false,
  -- Limits of the day that the operator of the service imposes on a user, beside the budgets that the user sets.
  imposed_daily_token_budget bigint
    constraint user_settings_imposed_daily_token_budget_range check (imposed_daily_token_budget >= 0),
  imposed_daily_cost_budget_usd numeric(18, 9)
    constraint user_settings_imposed_daily_cost_budget_usd_range check (imposed_daily_cost_budget_usd >= 0),
  imposed_daily_runs integer
    constraint user_settings_imposed_daily_runs_range check (imposed_daily_runs >= 0)
);
alter table public.user_settings enable row level security;
grant select, update on public.user_settings to authenticated;
grant select, insert, update, delete on public.user_settings to service_role, sb_service;

-- after functions

create policy profiles_select on public.profiles for select to authenticated using (id = (select auth.uid()));
create policy profiles_update on public.profiles for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));
create policy profiles_service on public.profiles to service_role, sb_service using (true) with check (true);

create trigger profiles_stamp before insert or update on public.profiles for each row
  execute function private.stamp_created_and_updated();
create trigger profiles_freeze before update on public.profiles for each row
  when (current_user in ('anon', 'authenticated', 'api_key', 'service_role')
    and (new.id, new.email) is distinct from (old.id, old.email))
  execute function private.reject_change('id', 'email');

create policy user_settings_select on public.user_settings for select to authenticated
  using (user_id = (select auth.uid()));
create policy user_settings_update on public.user_settings for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy user_settings_service on public.user_settings to service_role, sb_service using (true) with check (true);

create trigger user_settings_stamp before insert or update on public.user_settings for each row
  execute function private.stamp_created_and_updated();
create trigger user_settings_freeze before update on public.user_settings for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
create trigger user_settings_sync_sessions after update of require_request_signature, require_message_signature
  on public.user_settings for each row
  when ((new.require_request_signature, new.require_message_signature)
    is distinct from (old.require_request_signature, old.require_message_signature))
  execute function private.sync_signature_requirement();
create trigger user_settings_reject_api_key before update on public.user_settings for each row
  when ((new.require_request_signature, new.require_message_signature, new.daily_token_budget,
         new.daily_cost_budget_usd)
    is distinct from (old.require_request_signature, old.require_message_signature, old.daily_token_budget,
         old.daily_cost_budget_usd))
  execute function private.reject_api_key();
-- Users see the limits in their row, and cannot change them.
create trigger user_settings_freeze_imposed before update on public.user_settings for each row
  when (current_user in ('anon', 'authenticated', 'api_key')
        and (new.imposed_daily_token_budget, new.imposed_daily_cost_budget_usd, new.imposed_daily_runs)
            is distinct from
            (old.imposed_daily_token_budget, old.imposed_daily_cost_budget_usd, old.imposed_daily_runs))
  execute function private.reject_change(
    'imposed_daily_token_budget', 'imposed_daily_cost_budget_usd', 'imposed_daily_runs');
