/**
 * Before the schema was written anew as one migration for each table family, its history had these names. A database with
 * all of them is carried over; `migrations/legacy/` has the steps that came after.
 */
export const LEGACY_REQUIRED: readonly string[] = [
  "0001_foundations",
  "0002_users",
  "0003_keys",
  "0004_profiles",
  "0005_webhooks",
  "0006_events",
  "0007_agents",
  "0008_tools",
  "0009_swarms",
  "0010_swarm_events",
  "0011_messages",
  "0012_runs",
  "0013_live_sessions",
  "0014_one_time",
  "0015_request_checks",
  "0016_models",
  "0017_session_state",
  "0018_webhook_dispatch",
  "0019_realtime",
  "0020_service_role_functions",
  "0021_cheap_checks",
  "0022_request_signing",
  "0023_webhook_fresh_claims",
  "0024_webhook_limit",
  "0025_run_execution",
  "0026_run_admission",
  "0027_tools",
  "0028_rooms",
  "0029_model_facts",
  "0030_hardening",
  "0031_quick_runs",
  "0032_run_usage",
  "0033_webhook_batches",
  "0034_crowded_runs",
  "0035_one_check_for_agents",
  "0036_swarm_channels",
  "0037_cheap_looks",
];

/** The last migration whose objects a carried-over database has already. */
export const LEGACY_EQUALS = "0014_realtime";
