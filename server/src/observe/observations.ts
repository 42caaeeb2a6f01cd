import { OAUTH_OBSERVATIONS } from "./oauth-observations.ts";

export type ObservationLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace";

export interface Observation {
  readonly level: ObservationLevel;
  readonly message: string;
  /** The error is unexpected, so its stack is logged at every level. Otherwise stacks need LOG_LEVEL=debug. */
  readonly stack?: true;
  /** Only the first lines of a window are logged, and then the number of omitted ones. */
  readonly sampled?: true;
}

export const OBSERVATIONS = {
  // the program
  "service.progress": { level: "info", message: "start-up progress" },
  "service.started": { level: "info", message: "serving" },
  "service.stopping": { level: "info", message: "stopping" },
  "service.stopped": { level: "info", message: "stopped" },
  "service.stop_failed": { level: "error", message: "a component did not stop cleanly", stack: true },
  "service.setting_unknown": { level: "warn", message: "an environment variable looks like a misspelt setting" },
  "service.held": {
    level: "warn",
    message: "this database is a restored copy: deliveries, agent runs and mails are held",
  },
  "service.resumed": {
    level: "info",
    message: "the restored copy was released: deliveries, agent runs and mails resume",
  },
  "service.crashed": { level: "fatal", message: "unexpected error, stopping", stack: true },

  // worker processes
  "process.started": { level: "info", message: "a worker process serves" },
  "process.lost": { level: "error", message: "a worker process ended on its own, starting it again" },
  "process.start_failed": { level: "error", message: "a worker process could not be started, retrying" },
  "process.crash_loop": { level: "fatal", message: "a worker process ends again and again, stopping" },
  "process.replaced": { level: "info", message: "replaced a worker process" },
  "process.replacement_failed": {
    level: "error",
    message: "a new worker process could not be started, the current ones continue",
  },
  "process.stop_forced": { level: "warn", message: "killed a worker process that did not end in time" },
  "process.takeover_failed": {
    level: "warn",
    message: "could not release the leases of a lost worker process, they expire",
  },

  "extension.note": { level: "info", message: "a message of an extension" },
  "extension.failed": { level: "error", message: "an extension reported a failure", stack: true },

  "console.unavailable": { level: "error", message: "the console cannot be served" },

  // jobs
  "worker.started": { level: "debug", message: "worker started" },
  "worker.stopped": { level: "debug", message: "worker stopped" },
  "worker.ended": { level: "warn", message: "a worker ended on its own, restarting it" },
  "worker.failed": { level: "error", message: "a worker failed, restarting it", stack: true },
  "worker.gave_up": { level: "error", message: "a worker that the service depends on failed", stack: true },
  "worker.stuck": { level: "error", message: "a worker did not stop in time" },

  // db: pools
  "database.connection_lost": { level: "warn", message: "lost an idle database connection" },
  "database.unreachable": { level: "warn", message: "the database cannot be reached" },
  "database.read_only": { level: "warn", message: "the database is read-only, this node is not ready" },
  "database.exhausted": { level: "warn", message: "no database connection is free, this node is not ready" },
  "database.reachable": { level: "info", message: "the database accepts reads and writes again" },
  "database.moved": { level: "warn", message: "another database server accepts writes now" },
  "database.flown": { level: "trace", message: "a transaction ended" },
  "database.waiting": { level: "warn", message: "waiting for the database" },
  "database.requirement_warning": { level: "warn", message: "the database does not meet a requirement" },

  // db: disk of the embedded server
  "storage.low": { level: "warn", message: "the disk of the database is nearly full" },
  "storage.critical": { level: "error", message: "the disk of the database is almost full, PostgreSQL may stop" },
  "storage.recovered": { level: "info", message: "the disk of the database has enough free space again" },
  "storage.full": { level: "error", message: "the disk of the database is full, writes are rejected" },
  "storage.writable": { level: "info", message: "the disk of the database has space again, writes are accepted" },
  "storage.wal_large": { level: "warn", message: "the write-ahead log of the database has grown large" },

  // db: migrations
  "database.migrated": { level: "info", message: "migrated the schema" },
  "database.migration_waiting": { level: "info", message: "waiting for another node that migrates the database" },
  "database.migration_blocked": { level: "warn", message: "a migration waits for a lock of a transaction" },
  "database.contract_waiting": {
    level: "info",
    message: "migrations that remove what an older release uses wait until its nodes have stopped",
  },

  // db: partitions
  "database.partition_closed": { level: "info", message: "closed the last partition of a table and added the next" },
  "database.partition_open": {
    level: "warn",
    message: "could not close the last partition of a table: it was busy, or has ids of the future",
  },
  "database.partition_dropped": { level: "info", message: "dropped a partition whose rows were too old" },
  "database.partitions_failed": {
    level: "warn",
    message: "could not maintain the partitions of a table, old rows are deleted one by one",
  },

  // metrics and limits
  "metrics.serving": { level: "info", message: "serving metrics" },
  "limit.hit": { level: "debug", message: "rejected a call that exceeds a rate limit" },
  "webhook.attempted": { level: "debug", message: "attempted a webhook delivery" },
  "run.ended": { level: "debug", message: "a run ended" },
  "run.turn_ended": { level: "debug", message: "an agent's turn ended" },
  "run.tool_ended": { level: "debug", message: "a tool call ended" },

  // auth: keys
  "keys.created": { level: "info", message: "created the keys of this database" },
  "keys.reload_failed": { level: "warn", message: "could not reload the keys, keeping the current ones" },

  // auth: sessions
  "session.refresh_token_reused": {
    level: "warn",
    message: "ended a session because an old refresh token of it was used",
  },
  "session.seen_failed": {
    level: "warn",
    message: "could not record which access tokens were used, retrying",
    sampled: true,
  },

  // auth: passkeys
  "passkey.refused": { level: "info", message: "did not accept the response of an authenticator", sampled: true },
  "passkey.counter_rejected": {
    level: "warn",
    message: "did not accept a passkey whose counter did not grow, which can be a copy",
  },

  // auth: identity providers
  "sign_in.provider_failed": {
    level: "warn",
    message: "a sign-in at an identity provider could not be completed",
    sampled: true,
  },

  // auth: API keys of users
  "api_key.created": { level: "info", message: "created an API key" },
  "api_key.revoked": { level: "info", message: "revoked an API key" },
  "portal.link_created": { level: "info", message: "created a link to the portal" },
  "api_key.use_failed": { level: "warn", message: "could not record which API keys were used", sampled: true },

  ...OAUTH_OBSERVATIONS,

  // auth: hooks
  "hook.failed": { level: "warn", message: "a hook failed or gave no valid answer" },

  // auth: mail
  "mail.absent": {
    level: "warn",
    message:
      "no mail server is set (SMTP_URL): mails are files that reach nobody, anybody can sign up with any address, and nobody can reset a password without you",
  },
  "mail.written": { level: "info", message: "no mail server is configured, wrote a mail to a file" },
  "mail.retried": { level: "warn", message: "could not send a mail, retrying" },
  "mail.failed": { level: "error", message: "could not send a mail" },
  "mail.unreachable": { level: "warn", message: "the mail server cannot be used" },

  // rest: catalogue
  "catalogue.reloaded": { level: "info", message: "reloaded the changed schema" },
  "catalogue.reload_failed": { level: "warn", message: "could not reload the schema, keeping the current one" },
  "catalogue.listener_lost": { level: "warn", message: "cannot listen for schema changes, polling for them" },

  // db: embedded server
  "embedded.initialised": { level: "info", message: "created the database cluster" },
  "embedded.started": { level: "info", message: "PostgreSQL is running" },
  "embedded.port_taken": { level: "warn", message: "the configured PostgreSQL port is in use, using another one" },
  "embedded.leftover_stopped": {
    level: "warn",
    message: "stopped a PostgreSQL server that an earlier run left behind",
  },
  "embedded.recovery_repeated": {
    level: "warn",
    message: "PostgreSQL could not complete its recovery, starting it again",
  },
  "embedded.ended": { level: "error", message: "PostgreSQL ended unexpectedly, restarting it" },
  "embedded.restarted": { level: "info", message: "PostgreSQL is running again" },
  "embedded.restart_failed": { level: "error", message: "could not restart PostgreSQL, retrying" },
  "embedded.watchdog_lost": { level: "warn", message: "the watchdog ended, starting a new one" },
  "embedded.stop_forced": { level: "warn", message: "PostgreSQL did not stop in time and was killed" },
  "embedded.stopped": { level: "info", message: "PostgreSQL stopped" },
  // http: certificate
  "tls.renewed": { level: "info", message: "using a new certificate" },
  "tls.reload_failed": {
    level: "error",
    message: "cannot load the certificate files, keeping the current certificate",
  },

  // http: connections
  "http.garbage": { level: "debug", message: "closed a connection that uses neither TLS nor HTTP" },
  "http.plain_refused": { level: "debug", message: "rejected a plain HTTP request" },
  "http.handshake_failed": { level: "debug", message: "TLS handshake failed" },
  "http.request_refused": { level: "debug", message: "rejected a malformed request" },
  "http.session_failed": { level: "debug", message: "closed an HTTP/2 connection because of an error" },
  "http.connections_exceeded": {
    level: "warn",
    message: "closed connections because a limit of connections is reached",
  },
  "http.accept_failed": { level: "error", message: "could not accept a connection" },
  "http.stop_forced": { level: "warn", message: "closed connections that did not finish in time" },

  // agents
  "agents.turn_fault": { level: "error", message: "an agent's turn failed because of an internal error", stack: true },
  "agents.run_fault": {
    level: "error",
    message: "a run failed because of an internal error, its lease expires",
    stack: true,
  },
  "agents.run_lost": { level: "warn", message: "could not store the progress of a run, another node ends it" },
  "agents.runs_released": { level: "info", message: "gave the runs that had not ended to other nodes" },
  "agents.node_lost": { level: "warn", message: "a node with runs has no session any more, others continue its runs" },
  "agents.run_left": { level: "info", message: "left a run to a newer release, which has stored its progress" },
  "agents.step_failed": { level: "error", message: "background work for runs failed, retrying", stack: true },
  "agents.relay_lost": { level: "warn", message: "cannot listen for runs of other nodes, polling for them" },

  // webhooks
  "webhook.queue_full": { level: "warn", message: "disabled a webhook with too many waiting deliveries" },
  "webhook.disabled": { level: "warn", message: "disabled a webhook whose endpoint is gone or keeps failing" },
  "webhook.failing": { level: "warn", message: "no delivery has reached a webhook's endpoint for a day" },
  "webhook.step_failed": { level: "error", message: "background work for webhooks failed, retrying", stack: true },
  "webhook.record_failed": { level: "error", message: "could not record webhook attempts, retrying", stack: true },
  "webhook.renewal_failed": { level: "warn", message: "could not renew the leases of webhook deliveries" },
  "webhook.release_failed": { level: "warn", message: "could not release webhook deliveries, their leases expire" },
  "webhook.relay_lost": { level: "warn", message: "cannot listen for webhook work of other nodes, polling for it" },

  // realtime: sockets
  "realtime.refused": { level: "debug", message: "rejected a socket" },
  "realtime.slow": { level: "warn", message: "closed the socket of a client that reads too slowly" },
  "realtime.silent": { level: "debug", message: "closed an idle socket" },
  "realtime.join_failed": { level: "error", message: "a join failed unexpectedly", stack: true },
  "realtime.frame_failed": { level: "error", message: "could not process a frame", stack: true },
  "realtime.relay_failed": { level: "warn", message: "could not send a broadcast to other nodes" },
  "realtime.presence_failed": { level: "warn", message: "could not send presence to other nodes, retrying" },
  "realtime.recheck_failed": { level: "warn", message: "could not check access again, retrying" },

  "realtime.signals_failed": { level: "warn", message: "could not register followed topics, retrying" },

  // realtime: change feed
  "realtime.live": { level: "info", message: "reading the change feed of the database" },
  "realtime.feed_lost": { level: "warn", message: "lost the change feed of the database, reconnecting" },
  "realtime.unavailable": {
    level: "warn",
    message: "the database does not permit the change feed, realtime has no changes",
  },
  "realtime.process_cut": {
    level: "warn",
    message: "a worker process reads the change feed too slowly, its channels have to be joined again",
  },
  "realtime.catalogue_failed": { level: "warn", message: "could not read what is published, retrying" },
  "realtime.publication_failed": {
    level: "warn",
    message: "could not add what is published to the change feed, retrying",
  },
  "realtime.policy_failed": {
    level: "warn",
    message: "a row-level policy failed, its subscribers have to subscribe again",
  },
  "realtime.value_missing": { level: "debug", message: "could not read values that a change does not contain" },

  // limits
  "limits.store_away": { level: "warn", message: "the rate-limit store is unavailable, each node counts by itself" },
  "limits.store_back": { level: "info", message: "the rate-limit store is available again, nodes share their counts" },

  // agents: providers
  "provider.failed": { level: "warn", message: "a provider did not respond" },
  "provider.refused": { level: "error", message: "a provider rejected the credentials of this service" },
  "provider.fell_back": { level: "warn", message: "using another provider instead" },
  "provider.reloaded": { level: "info", message: "reloaded the changed providers" },
  "provider.reload_failed": {
    level: "warn",
    message: "could not use the changed providers, keeping the current configuration",
  },

  // agents: tools
  "tool.faulted": { level: "error", message: "a tool failed because of an internal error", stack: true },
  "tool.definitions_excluded": {
    level: "info",
    message: "excluded tools with an invalid declaration of an MCP server",
    sampled: true,
  },
  "tool.server_ended": {
    level: "warn",
    message: "an MCP server of MCP_SERVERS_FILE could not be started, or has ended by itself",
    sampled: true,
  },

  // http: requests
  "request.completed": { level: "debug", message: "request" },
  "request.unavailable": { level: "warn", message: "a request could not be served at the moment", sampled: true },
  "request.upstream_failed": {
    level: "info",
    message: "a request failed at a provider, a tool or an endpoint",
    sampled: true,
  },
  "request.failed": { level: "error", message: "a request failed", stack: true },
} as const satisfies Record<string, Observation>;

export type ObservationName = keyof typeof OBSERVATIONS;
