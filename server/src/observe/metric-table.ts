import type { ObservationName } from "./observations.ts";

/** What is counted or measured whenever something of the closed list is noted. Labels are fields of the observation. */
export interface MetricRow {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly on: readonly ObservationName[];
  /** A counter goes up by this field, else by one. A histogram measures this field, which is in milliseconds. */
  readonly field?: string;
  readonly kind: "counter" | "histogram";
}

const REQUESTS = ["request.completed", "request.failed", "request.unavailable", "request.upstream_failed"] as const;

export const METRICS: readonly MetricRow[] = [
  {
    name: "swarmbase_http_requests_total",
    help: "Requests by route and status.",
    kind: "counter",
    labels: ["method", "route", "status"],
    on: REQUESTS,
  },
  {
    name: "swarmbase_http_request_seconds",
    help: "Time from a request's headers to the end of its answer.",
    kind: "histogram",
    labels: ["route"],
    on: REQUESTS,
    field: "durationMs",
  },
  {
    name: "swarmbase_statement_seconds",
    help: "Time of a transaction in the database, the wait for a connection included.",
    kind: "histogram",
    labels: ["pool"],
    on: ["database.flown"],
    field: "durationMs",
  },
  {
    name: "swarmbase_limit_hits_total",
    help: "Calls refused because a limit was reached.",
    kind: "counter",
    labels: ["row"],
    on: ["limit.hit"],
  },
  {
    name: "swarmbase_webhook_attempts_total",
    help: "Attempts to deliver, by what came of them.",
    kind: "counter",
    labels: ["outcome"],
    on: ["webhook.attempted"],
  },
  {
    name: "swarmbase_webhook_attempt_seconds",
    help: "Time of an attempt to deliver.",
    kind: "histogram",
    labels: ["outcome"],
    on: ["webhook.attempted"],
    field: "durationMs",
  },
  {
    name: "swarmbase_runs_total",
    help: "Runs that have ended, by how and why.",
    kind: "counter",
    labels: ["status", "stopReason"],
    on: ["run.ended"],
  },
  {
    name: "swarmbase_input_tokens_total",
    help: "Tokens that models were given.",
    kind: "counter",
    labels: ["framework", "model"],
    on: ["run.turn_ended"],
    field: "inputTokens",
  },
  {
    name: "swarmbase_output_tokens_total",
    help: "Tokens that models wrote.",
    kind: "counter",
    labels: ["framework", "model"],
    on: ["run.turn_ended"],
    field: "outputTokens",
  },
  {
    name: "swarmbase_turns_total",
    help: "Turns of agents that have ended, by how.",
    kind: "counter",
    labels: ["framework", "model", "outcome"],
    on: ["run.turn_ended"],
  },
  {
    name: "swarmbase_tool_calls_total",
    help: "Tool calls of agents, by kind of tool and what came of them.",
    kind: "counter",
    labels: ["kind", "status"],
    on: ["run.tool_ended"],
  },
];

export interface GaugeRow {
  readonly help: string;
  readonly labels: readonly string[];
}

/** What is looked up when somebody asks. */
export const GAUGES = {
  swarmbase_pool_connections: { help: "Connections to the database, by pool and state.", labels: ["pool", "state"] },
  swarmbase_pool_waiting: { help: "Requests that wait for a connection to the database.", labels: ["pool"] },
  swarmbase_webhook_backlog_seconds: {
    help: "Age of the oldest delivery that is due and not yet made, by class of endpoint.",
    labels: ["class"],
  },
  swarmbase_webhook_backlog: {
    help: "Endpoints with a delivery that is due, by class; events that have not become deliveries, as fan_out.",
    labels: ["class"],
  },
  swarmbase_runs_waiting: { help: "Runs that have not ended, by state.", labels: ["status"] },
  swarmbase_sockets: { help: "Open realtime sockets of this node.", labels: [] },
  swarmbase_disk_free_bytes: { help: "Free room on the disk of the embedded database.", labels: [] },
  swarmbase_disk_size_bytes: { help: "Size of the disk of the embedded database.", labels: [] },
  swarmbase_wal_bytes: { help: "Size of the write-ahead log of the embedded database.", labels: [] },
  swarmbase_replication_lag_bytes: { help: "How far this node's change feed is behind the database.", labels: [] },
} as const satisfies Record<string, GaugeRow>;

export type GaugeName = keyof typeof GAUGES;
