import type { ObservationName } from "./observations.ts";

/** A metric that is derived from observations. Labels are fields of the observation. */
export interface MetricRow {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly on: readonly ObservationName[];
  /** A counter adds this field instead of 1. A histogram observes it in milliseconds; default `durationMs`. */
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
    help: "Time from the headers of a request to the end of its response.",
    kind: "histogram",
    labels: ["route"],
    on: REQUESTS,
  },
  {
    name: "swarmbase_statement_seconds",
    help: "Duration of a database transaction, including the wait for a connection.",
    kind: "histogram",
    labels: ["pool"],
    on: ["database.flown"],
  },
  {
    name: "swarmbase_limit_hits_total",
    help: "Calls rejected by a rate limit.",
    kind: "counter",
    labels: ["row"],
    on: ["limit.hit"],
  },
  {
    name: "swarmbase_hook_failures_total",
    help: "Calls of hooks that failed or got no valid answer.",
    kind: "counter",
    labels: ["hook"],
    on: ["hook.failed"],
  },
  {
    name: "swarmbase_oauth_tokens_total",
    help: "Access tokens that were issued to programs, by grant.",
    kind: "counter",
    labels: ["grant"],
    on: ["oauth.token_issued"],
  },
  {
    name: "swarmbase_oauth_clients_registered_total",
    help: "Clients that registered themselves at the authorization server, by kind of registration.",
    kind: "counter",
    labels: ["registration"],
    on: ["oauth.client_registered"],
  },
  {
    name: "swarmbase_oauth_document_failures_total",
    help: "Documents of clients that could not be read or are not valid.",
    kind: "counter",
    labels: ["reason"],
    on: ["oauth.document_failed"],
  },
  {
    name: "swarmbase_webhook_attempts_total",
    help: "Webhook delivery attempts by outcome.",
    kind: "counter",
    labels: ["outcome"],
    on: ["webhook.attempted"],
  },
  {
    name: "swarmbase_webhook_attempt_seconds",
    help: "Duration of a webhook delivery attempt.",
    kind: "histogram",
    labels: ["outcome"],
    on: ["webhook.attempted"],
  },
  {
    name: "swarmbase_runs_total",
    help: "Ended runs by status and stop reason.",
    kind: "counter",
    labels: ["status", "stopReason"],
    on: ["run.ended"],
  },
  {
    name: "swarmbase_input_tokens_total",
    help: "Input tokens of models.",
    kind: "counter",
    labels: ["framework", "model"],
    on: ["run.turn_ended"],
    field: "inputTokens",
  },
  {
    name: "swarmbase_output_tokens_total",
    help: "Output tokens of models.",
    kind: "counter",
    labels: ["framework", "model"],
    on: ["run.turn_ended"],
    field: "outputTokens",
  },
  {
    name: "swarmbase_turns_total",
    help: "Ended turns of agents by outcome.",
    kind: "counter",
    labels: ["framework", "model", "outcome"],
    on: ["run.turn_ended"],
  },
  {
    name: "swarmbase_tool_calls_total",
    help: "Tool calls of agents by kind of tool and status.",
    kind: "counter",
    labels: ["kind", "status"],
    on: ["run.tool_ended"],
  },
];

export interface GaugeRow {
  readonly help: string;
  readonly labels: readonly string[];
  /** The value is about the database or the machine, so every worker process reads the same. */
  readonly isShared?: true;
}

/** Metrics that are read when they are scraped. */
export const GAUGES = {
  swarmbase_pool_connections: { help: "Database connections by pool and state.", labels: ["pool", "state"] },
  swarmbase_pool_waiting: { help: "Requests that wait for a database connection.", labels: ["pool"] },
  swarmbase_webhook_backlog_seconds: {
    help: "Age of the oldest due delivery by class of endpoint.",
    labels: ["class"],
    isShared: true,
  },
  swarmbase_webhook_backlog: {
    help: "Endpoints with a due delivery by class; events without deliveries yet have the class fan_out.",
    labels: ["class"],
    isShared: true,
  },
  swarmbase_runs_waiting: { help: "Runs that have not ended by status.", labels: ["status"], isShared: true },
  swarmbase_sockets: { help: "Open realtime sockets of this node.", labels: [] },
  swarmbase_disk_free_bytes: { help: "Free space on the disk of the embedded database.", labels: [], isShared: true },
  swarmbase_disk_size_bytes: { help: "Size of the disk of the embedded database.", labels: [], isShared: true },
  swarmbase_wal_bytes: { help: "Size of the write-ahead log of the embedded database.", labels: [], isShared: true },
  swarmbase_replication_lag_bytes: {
    help: "Distance of this node's change feed behind the database, in bytes of the WAL.",
    labels: [],
  },
} as const satisfies Record<string, GaugeRow>;

export type GaugeName = keyof typeof GAUGES;
