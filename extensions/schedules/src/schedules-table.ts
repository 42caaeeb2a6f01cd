import type { ExtensionTable } from "swarmbase/extension";
import { findCronFault, findTimeFault, findTimeZoneFault } from "./timing/due-times.ts";

export const SCHEDULES_TABLE: ExtensionTable = {
  name: "schedules",
  ownerColumn: "user_id",
  columns: {
    name: { type: "text", min: 1, max: 100, isRequired: true },
    agent_id: { type: "uuid", isNullable: true },
    swarm_id: { type: "uuid", isNullable: true },
    message: { type: "text", min: 1, max: 32_000, isRequired: true },
    conversation: { type: "text", choices: ["own", "new"] },
    cron: { type: "text", min: 9, max: 200, isNullable: true, findFault: (cron) => findCronFault(String(cron)) },
    time_zone: { type: "text", min: 1, max: 64, findFault: (zone) => findTimeZoneFault(String(zone)) },
    run_at: { type: "timestamp", isNullable: true, findFault: (time) => findTimeFault(String(time)) },
    enabled: { type: "boolean" },
    max_tokens: { type: "bigint", min: 1, isNullable: true },
    max_cost_usd: { type: "number", min: 0.000_001, max: 999_999_999, isNullable: true },
    when_running: { type: "text", choices: ["skip", "queue"] },
    when_missed: { type: "text", choices: ["skip", "last"] },
    jitter_seconds: { type: "integer", max: 3600 },
    pause_after_failures: { type: "integer", max: 100 },
  },
  managed: [
    "next_run_at",
    "due_at",
    "waiting",
    "retry_at",
    "open_run_id",
    "last_outcomes",
    "failures",
    "paused_reason",
    "api_key_id",
    "api_key_scopes",
    "created_by_agent_id",
  ],
  findRowFaults: ({ agent_id, swarm_id, cron, run_at }) => ({
    ...((agent_id === null) === (swarm_id === null) && { agent_id: "or swarm_id must be given, and not both" }),
    ...((cron === null) === (run_at === null) && { cron: "or run_at must be given, and not both" }),
  }),
};
