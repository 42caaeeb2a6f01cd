-- Limits of the day that the operator of the service imposes on a user, beside the budgets that the user sets.
alter table public.user_settings
  add column imposed_daily_token_budget bigint
    constraint user_settings_imposed_daily_token_budget_range check (imposed_daily_token_budget >= 0),
  add column imposed_daily_cost_budget_usd numeric(18, 9)
    constraint user_settings_imposed_daily_cost_budget_usd_range check (imposed_daily_cost_budget_usd >= 0),
  add column imposed_daily_runs integer
    constraint user_settings_imposed_daily_runs_range check (imposed_daily_runs >= 0);

-- after functions

-- Users see the limits in their row, and cannot change them.
create trigger user_settings_freeze_imposed before update on public.user_settings for each row
  when (current_user in ('anon', 'authenticated')
        and (new.imposed_daily_token_budget, new.imposed_daily_cost_budget_usd, new.imposed_daily_runs)
            is distinct from
            (old.imposed_daily_token_budget, old.imposed_daily_cost_budget_usd, old.imposed_daily_runs))
  execute function private.reject_change(
    'imposed_daily_token_budget', 'imposed_daily_cost_budget_usd', 'imposed_daily_runs');
