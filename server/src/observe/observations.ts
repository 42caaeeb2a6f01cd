export type ObservationLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace";

export interface Observation {
  readonly level: ObservationLevel;
  readonly message: string;
  /** The fault is unexpected, so its stack is printed at every log level. Elsewhere stacks need LOG_LEVEL=debug. */
  readonly stack?: true;
  /** Only the first lines of a window are written, and then how many were left out. */
  readonly sampled?: true;
}

export const OBSERVATIONS = {
  // the program
  "service.progress": { level: "info", message: "start-up progress" },
  "service.started": { level: "info", message: "serving" },
  "service.stopping": { level: "info", message: "stopping" },
  "service.stopped": { level: "info", message: "stopped" },
  "service.stop_failed": { level: "error", message: "a part did not stop cleanly", stack: true },
  "service.setting_unknown": { level: "warn", message: "an environment variable looks like a misspelt setting" },
  "service.held": {
    level: "warn",
    message: "this database is a restored copy: deliveries, agent runs and mails are held",
  },
  "service.resumed": { level: "info", message: "nothing is held any more: this database is an original again" },
  "service.crashed": { level: "fatal", message: "unexpected fault, stopping", stack: true },

  "console.unavailable": { level: "error", message: "the console cannot be served" },

  // jobs
  "worker.started": { level: "debug", message: "worker started" },
  "worker.stopped": { level: "debug", message: "worker stopped" },
  "worker.ended": { level: "warn", message: "worker ended by itself, restarting it" },
  "worker.failed": { level: "error", message: "worker failed, restarting it", stack: true },
  "worker.gave_up": { level: "error", message: "worker the service depends on failed", stack: true },
  "worker.stuck": { level: "error", message: "worker did not stop in time" },

  // db: pools
  "database.connection_lost": { level: "warn", message: "lost an idle database connection" },
  "database.unreachable": { level: "warn", message: "the database cannot be reached" },
  "database.read_only": { level: "warn", message: "the database takes no writes, this node is not ready" },
  "database.exhausted": {
    level: "warn",
    message: "no connection to the database is free, this node is not ready",
  },
  "database.reachable": { level: "info", message: "the database serves reads and writes again" },
  "database.flown": { level: "trace", message: "a transaction has ended" },
  "database.waiting": { level: "warn", message: "waiting for the database" },
  "database.requirement_warning": { level: "warn", message: "the database is not as it should be" },

  // db: disk of the embedded server
  "storage.low": { level: "warn", message: "the disk of the database is nearly full" },
  "storage.critical": { level: "error", message: "the disk of the database is full but for a rest" },
  "storage.recovered": { level: "info", message: "the disk of the database has room again" },
  "storage.wal_large": { level: "warn", message: "the write-ahead log of the database has grown large" },

  // db: migrations
  "database.migrated": { level: "info", message: "brought the schema up to date" },
  "database.migration_waiting": { level: "info", message: "another node is migrating the database, waiting for it" },

  // metrics and limits
  "metrics.serving": { level: "info", message: "serving metrics" },
  "limit.hit": { level: "debug", message: "refused a call beyond its limit" },
  "webhook.attempted": { level: "debug", message: "tried to deliver to a webhook" },
  "run.ended": { level: "debug", message: "a run has ended" },
  "run.turn_ended": { level: "debug", message: "an agent's turn has ended" },
  "run.tool_ended": { level: "debug", message: "a tool call has ended" },

  // auth: keys
  "keys.created": { level: "info", message: "made the keys of this database" },
  "keys.reload_failed": { level: "warn", message: "could not read the keys again, going on with those at hand" },

  // auth: mail
  "mail.written": { level: "info", message: "no mail server is configured, wrote a mail to a file" },
  "mail.retried": { level: "warn", message: "could not hand over a mail, trying again" },
  "mail.failed": { level: "error", message: "could not hand over a mail" },
  "mail.unreachable": { level: "warn", message: "the mail server cannot be used" },

  // rest: catalogue
  "catalogue.reloaded": { level: "info", message: "read the changed schema" },
  "catalogue.reload_failed": {
    level: "warn",
    message: "could not read the schema again, going on with the one at hand",
  },
  "catalogue.listener_lost": { level: "warn", message: "cannot listen for changes of the schema, looking for them" },

  // db: embedded server
  "embedded.initialised": { level: "info", message: "made the database cluster" },
  "embedded.started": { level: "info", message: "PostgreSQL is running" },
  "embedded.port_taken": { level: "warn", message: "the wanted PostgreSQL port is in use, took another" },
  "embedded.leftover_stopped": { level: "warn", message: "stopped a PostgreSQL that an earlier run left behind" },
  "embedded.ended": { level: "error", message: "PostgreSQL ended unexpectedly, restarting it" },
  "embedded.restarted": { level: "info", message: "PostgreSQL is running again" },
  "embedded.restart_failed": { level: "error", message: "could not restart PostgreSQL, will try again" },
  "embedded.watchdog_lost": { level: "warn", message: "the watchdog ended, starting another" },
  "embedded.stop_forced": { level: "warn", message: "PostgreSQL did not stop in time and was ended by force" },
  "embedded.stopped": { level: "info", message: "PostgreSQL stopped" },
  // http: certificate
  "tls.renewed": { level: "info", message: "serving with a new certificate" },
  "tls.reload_failed": { level: "error", message: "cannot use the certificate's files, going on with the one at hand" },

  // http: connections
  "http.garbage": { level: "debug", message: "closed a connection that speaks neither TLS nor HTTP" },
  "http.plain_refused": { level: "debug", message: "refused a plain HTTP request" },
  "http.handshake_failed": { level: "debug", message: "TLS handshake failed" },
  "http.request_refused": { level: "debug", message: "refused what is not a request" },
  "http.accept_failed": { level: "error", message: "could not accept a connection" },
  "http.stop_forced": { level: "warn", message: "cut connections that did not finish in time" },

  // agents
  "agents.turn_fault": { level: "error", message: "an agent's turn failed through a fault of ours", stack: true },
  "agents.run_fault": { level: "error", message: "a run could not be carried out, its lease runs out", stack: true },
  "agents.run_lost": { level: "warn", message: "could not write about a run, another node ends it" },
  "agents.step_failed": { level: "error", message: "looking after runs failed, trying again", stack: true },
  "agents.relay_lost": { level: "warn", message: "cannot hear of runs on other nodes, looking for them" },

  // webhooks
  "webhook.queue_full": { level: "warn", message: "switched off a webhook for which too many deliveries were waiting" },
  "webhook.disabled": { level: "warn", message: "switched off a webhook whose endpoint is gone or keeps failing" },
  "webhook.failing": { level: "warn", message: "nothing has reached a webhook's endpoint for a day" },
  "webhook.step_failed": { level: "error", message: "webhook work failed, trying again", stack: true },
  "webhook.record_failed": { level: "error", message: "could not record webhook attempts, trying again", stack: true },
  "webhook.renewal_failed": { level: "warn", message: "could not renew the leases of webhook deliveries" },
  "webhook.release_failed": { level: "warn", message: "could not give webhook deliveries back, their leases run out" },
  "webhook.relay_lost": { level: "warn", message: "cannot hear of webhook work on other nodes, looking for it" },

  // realtime: sockets
  "realtime.refused": { level: "debug", message: "refused a socket" },
  "realtime.slow": { level: "warn", message: "closed the socket of a client that reads too slowly" },
  "realtime.silent": { level: "debug", message: "closed a socket that had fallen silent" },
  "realtime.join_failed": { level: "error", message: "a join failed unexpectedly", stack: true },
  "realtime.frame_failed": { level: "error", message: "a frame could not be dealt with", stack: true },
  "realtime.relay_failed": { level: "warn", message: "could not tell other nodes of a broadcast" },
  "realtime.presence_failed": { level: "warn", message: "could not tell other nodes who is present, trying again" },
  "realtime.recheck_failed": { level: "warn", message: "could not check tokens again, trying again" },

  // realtime: change feed
  "realtime.live": { level: "info", message: "following the changes of the database" },
  "realtime.feed_lost": { level: "warn", message: "not following the changes of the database, trying to" },
  "realtime.unavailable": { level: "warn", message: "the database does not let realtime follow its changes" },
  "realtime.policy_failed": { level: "warn", message: "a row rule failed, whoever it is for has to subscribe again" },
  "realtime.value_missing": { level: "debug", message: "could not read values that a change does not carry" },

  // limits
  "limits.store_away": { level: "warn", message: "the store of the limits is away, each node counts for itself" },
  "limits.store_back": { level: "info", message: "the store of the limits is back, nodes count together" },

  // agents: providers
  "provider.failed": { level: "warn", message: "a provider did not answer" },
  "provider.refused": { level: "error", message: "a provider refused the credentials of this service" },
  "provider.fell_back": { level: "warn", message: "asking another provider instead" },
  "provider.reloaded": { level: "info", message: "read the changed providers file" },
  "provider.reload_failed": { level: "warn", message: "could not use the changed providers file, going on as before" },

  // agents: tools
  "tool.faulted": { level: "error", message: "a tool failed on our side", stack: true },
  "tool.definitions_excluded": {
    level: "info",
    message: "left out tools that an MCP server does not declare validly",
    sampled: true,
  },

  // http: requests
  "request.completed": { level: "debug", message: "request" },
  "request.unavailable": { level: "warn", message: "request could not be served for now", sampled: true },
  "request.upstream_failed": {
    level: "info",
    message: "request failed at a provider, a tool or an endpoint",
    sampled: true,
  },
  "request.failed": { level: "error", message: "request failed", stack: true },
} as const satisfies Record<string, Observation>;

export type ObservationName = keyof typeof OBSERVATIONS;
