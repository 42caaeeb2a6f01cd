import { setting } from "./setting-row.ts";

const PORT_MAX = 65_535;
const TEN_MINUTES_MS = 600_000;

export const SERVICE_SETTINGS = {
  HOST: setting(
    { kind: "host", default: "127.0.0.1" },
    "Address to listen on. The default is reachable from this machine only.",
  ),
  PORT: setting({ kind: "integer", min: 0, max: PORT_MAX, default: 8443 }, "Port to listen on; 0 selects a free one."),
  PUBLIC_URL: setting(
    { kind: "https-url", default: null },
    "Address at which clients reach the service. Defaults to an address made from `HOST` and `PORT`.",
  ),
  DATA_DIR: setting(
    { kind: "path", default: ".swarmbase" },
    "Folder for the embedded database, the local certificate authority and `credentials.json`. A relative path is resolved against the working directory of the service.",
  ),
  NODE_ENV: setting(
    { kind: "choice", choices: ["development", "production", "test"], default: "development" },
    "Purpose of the service; conveniences for development are disabled in `production`.",
  ),
  ROLES: setting(
    { kind: "names", default: ["api", "worker", "realtime"] },
    "Tasks of this node: `api` (serves requests, sends mails), `worker` (delivers webhooks, runs agents, cleans up) and `realtime` (serves sockets). Each task needs at least one node.",
  ),
  WORKERS: setting(
    { kind: "integer", min: 0, max: 256, default: 0 },
    "Number of processes that serve requests on one port. Each has its own database pools, and its own capacity for webhooks and runs; limits, connections and sockets are counted over all of them. 0 means one for each core, as far as there are 512 MB of memory and connections of the database for each, and 1 on one or two cores and on Windows. The limits of a container count, not the machine.",
  ),
  CONSOLE_ENABLED: setting(
    { kind: "boolean", default: true },
    "Whether the console for the browser is served at `/`. In a clone of the repository, the service builds it at the start when it is missing or outdated.",
  ),
  PORTAL_FRAME_ANCESTORS: setting(
    { kind: "origins", default: [] },
    "Origins whose pages may show the portal of webhooks in a frame; `*.` stands for any subdomain. Empty: no page may. The console itself is never shown in a frame.",
  ),
  EXTENSIONS: setting(
    {
      kind: "extensions",
      default: [
        "providers",
        "reference",
        "docs-site",
        "database-tools",
        "listen",
        "backup",
        "agents-as-code",
        "app-functions",
        "opentelemetry",
        "mcp-server",
        "mcp-client",
        "openai-api",
        "a2a",
        "a2a-client",
        "rpc-tools",
        "schedules",
        "triggers",
        "ag-ui",
        "account-export",
      ],
    },
    "Extensions to load. A plain name is a package of this repository (`extensions/<name>`); other packages are named in full, other modules by their path from the working directory. `EXTENSIONS=` loads none. `providers` is loaded where it is missing and a provider is configured.",
  ),
};

export const TLS_SETTINGS = {
  TLS_MODE: setting(
    { kind: "choice", choices: ["serve", "proxy"], default: "serve" },
    "`serve`: the service terminates TLS itself. `proxy`: a proxy in front of it does.",
  ),
  TLS_CERT_FILE: setting(
    { kind: "path", default: null },
    "Certificate chain in PEM format; requires `TLS_KEY_FILE`. Without it, a local authority and a certificate for `localhost` are created at the first start.",
  ),
  TLS_KEY_FILE: setting({ kind: "path", default: null }, "Private key of `TLS_CERT_FILE`, in PEM format."),
  HTTP2_ENABLED: setting(
    { kind: "boolean", default: true },
    "Whether clients may choose HTTP/2 in the TLS handshake. WebSockets use HTTP/1.1. Has no effect when `TLS_MODE` is `proxy`.",
  ),
  COMPRESSION_ENABLED: setting(
    { kind: "boolean", default: true },
    "Whether responses of 16 KiB to 4 MiB under `/rest/v1` and `/functions/v1` are compressed for clients that accept `zstd`, `br` or `gzip`. Streams, responses under `/auth/v1` and responses with secrets of webhooks never are.",
  ),
  TRUSTED_PROXIES: setting(
    { kind: "addresses", default: [] },
    "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. Required when `TLS_MODE` is `proxy`.",
  ),
};

export const DATABASE_SETTINGS = {
  DATABASE_URL: setting(
    { kind: "postgres-url", default: null, secret: true },
    "PostgreSQL 15 or later for all data; a pooler may be in between. With several hosts (`postgresql://user:password@host1:5432,host2:5432/name?target_session_attrs=read-write`), every connection goes to the one that accepts writes. Without this setting, PostgreSQL runs embedded in `DATA_DIR`.",
  ),
  DATABASE_DIRECT_URL: setting(
    { kind: "postgres-url", default: null, fallback: "DATABASE_URL", secret: true },
    "The same database without a pooler, for notifications and the change feed.",
  ),
  DATABASE_ADMIN_URL: setting(
    { kind: "postgres-url", default: null, fallback: "DATABASE_URL", secret: true },
    "The same database as a role that may create roles and schemas; migrations run with it.",
  ),
  DB_POOL_SIZE: setting(
    { kind: "integer", min: 1, max: 1000, default: 10 },
    "Maximum number of connections of each of the three pools (users, service role, background work).",
  ),
  DB_USER_SHARE_PERCENT: setting(
    { kind: "integer", min: 1, max: 100, default: 25 },
    "Part of the connections of a pool that one user may hold at a time, in percent; at least one connection. Anonymous callers of one address count as one user.",
  ),
  DB_LOCK_TIMEOUT_MS: setting(
    { kind: "integer", min: 0, max: 600_000, default: 2_000 },
    "How long a request waits for a row that another transaction has locked, in milliseconds, before it gets a 503; 0 means as long as the statement timeout allows.",
  ),
  EMBEDDED_PORT: setting(
    { kind: "integer", min: 0, max: PORT_MAX, default: 0 },
    "Loopback port of the embedded PostgreSQL; 0 selects the port of the last start, or a free one. When the port is in use, a free one is selected as well.",
  ),
  RESTORED_COPY: setting(
    { kind: "choice", choices: ["keep", "hold", "resume"], default: "keep" },
    "Whether the database counts as a restored copy, in which deliveries, agent runs and mails are held. `restore` marks the databases that it creates. `keep` leaves the mark as it is, `hold` sets it at the start (for a copy that was made in another way), `resume` removes it at the start, as `swarmbase resume` does.",
  ),
};

export const TABLE_SETTINGS = {
  DB_SCHEMAS: setting(
    { kind: "names", default: ["public"] },
    "Schemas whose tables, views and functions are served under `/rest/v1`. The first one applies when a request names none.",
  ),
  DB_EXTRA_SEARCH_PATH: setting(
    { kind: "names", default: ["public", "extensions"] },
    "Schemas at the end of the search path of every request, for the types, operators and functions of PostgreSQL extensions. They are not served. A schema that does not exist, or that the caller may not use, is skipped.",
  ),
  DB_PRE_REQUEST: setting(
    { kind: "function", default: null },
    "Function without arguments that runs before the statement of each request under `/rest/v1`, as the caller and in the same transaction. It can read the request settings, set the response settings, and reject the request by raising an error.",
  ),
  DB_MAX_ROWS: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 1000 },
    "Maximum number of rows of one response and of each embedded list; 0 means no limit. A truncated response is a 206 and states its range.",
  ),
  DB_MAX_EMBED_DEPTH: setting(
    { kind: "integer", min: 1, max: 50, default: 8 },
    "Maximum depth of embedded tables in the `select` of one request.",
  ),
  DB_MAX_EMBEDS: setting(
    { kind: "integer", min: 1, max: 1000, default: 20 },
    "Maximum number of embedded tables in the `select` of one request, or of all operations of a batch.",
  ),
  DB_RESPONSE_LIMIT_BYTES: setting(
    { kind: "integer", min: 1_048_576, max: 268_435_456, default: 33_554_432 },
    "Maximum size of one response, as the database sends it, in bytes. A larger response is a 413.",
  ),
  DB_BUFFER_LIMIT_BYTES: setting(
    { kind: "integer", min: 1_048_576, max: 17_179_869_184, default: 268_435_456 },
    "Maximum size of all responses that are being received or sent, in bytes, without those below 64 KiB. One user can have a quarter of it. Further responses are a 503.",
  ),
  DB_MAX_COUNTED_ROWS: setting(
    { kind: "integer", min: 1, max: 100_000_000, default: 10_000 },
    "Number of rows up to which `count=planned` and `count=estimated` count for callers under row-level rules.",
  ),
  DB_STATEMENT_TIMEOUT_MS: setting(
    { kind: "integer", min: 10, max: 600_000, default: 8_000 },
    "Maximum duration of the statement of one request, and of all statements of one batch together, in milliseconds.",
  ),
  DB_PLAN_ENABLED: setting(
    { kind: "boolean", default: false },
    "Whether `Accept: application/vnd.pgrst.plan` returns execution plans. Plans reveal information about rows that the caller may not see.",
  ),
  DB_TX_OVERRIDE: setting(
    { kind: "boolean", default: false },
    "Whether `Prefer: tx=rollback` is honoured: the statements run and return their results, and are then rolled back.",
  ),
};

export const KEY_SETTINGS = {
  MASTER_KEY: setting(
    { kind: "key", minLength: 32, default: null, secret: true },
    "Encrypts the keys in the database; must be the same on every node. Required with `DATABASE_URL`; with the embedded database it is created once and kept in `DATA_DIR`.",
  ),
  ANON_KEY: setting(
    { kind: "key", minLength: 1, default: null, secret: true },
    "The public client key. Defaults to a key that the service creates.",
  ),
  SERVICE_ROLE_KEY: setting(
    { kind: "key", minLength: 1, default: null, secret: true },
    "The key that bypasses row-level security. Defaults to a key that the service creates.",
  ),
};

export const TIMEOUT_SETTINGS = {
  HANDSHAKE_TIMEOUT_MS: setting(
    { kind: "integer", min: 100, max: TEN_MINUTES_MS, default: 10_000 },
    "Time from the first byte of a connection to the end of its TLS handshake, in milliseconds; the first byte has the same time.",
  ),
  HEADERS_TIMEOUT_MS: setting(
    { kind: "integer", min: 100, max: TEN_MINUTES_MS, default: 15_000 },
    "Time that a client has to send the request line and all headers, in milliseconds; then it gets 408.",
  ),
  REQUEST_TIMEOUT_MS: setting(
    { kind: "integer", min: 100, max: TEN_MINUTES_MS, default: 30_000 },
    "Time that a client has to send the body of a request, in milliseconds, and one second more for every 16 KiB that have arrived; then it gets 408.",
  ),
  STOP_DELAY_MS: setting(
    { kind: "integer", min: 0, max: TEN_MINUTES_MS, default: 0 },
    "Time that the service continues to serve after SIGTERM while `/ready` returns 503 and each response closes its connection, in milliseconds. Behind a load balancer, set it to slightly more than the balancer needs to notice.",
  ),
  STOP_TIMEOUT_MS: setting(
    { kind: "integer", min: 0, max: TEN_MINUTES_MS, default: 10_000 },
    "Time that requests in flight have to finish when the service stops, in milliseconds. It begins again whenever a connection has ended.",
  ),
  AGENT_RUN_STOP_TIMEOUT_MS: setting(
    { kind: "integer", min: 0, max: TEN_MINUTES_MS, default: 30_000 },
    "Time that agent runs have to finish when the service stops, in milliseconds; then other nodes, or this one after its next start, continue them. A second signal stops the service at once.",
  ),
};

export const LOGGING_SETTINGS = {
  LOG_LEVEL: setting(
    { kind: "choice", choices: ["fatal", "error", "warn", "info", "debug", "trace"], default: "info" },
    "Minimum level of the lines that are logged.",
  ),
  LOG_FORMAT: setting(
    { kind: "choice", choices: ["auto", "json", "pretty"], default: "auto" },
    "`auto` means `json` in `production` and `pretty`, for people, otherwise.",
  ),
  ACCESS_LOG_ENABLED: setting(
    { kind: "boolean", default: false },
    "Whether every request is logged at any `LOG_LEVEL`. Otherwise requests are logged at `debug` only.",
  ),
  DISK_WARNING_BYTES: setting(
    { kind: "integer", min: 0, max: Number.MAX_SAFE_INTEGER, default: 2_000_000_000 },
    "Free space on the disk of the embedded database below which a warning is logged, once; below a quarter of it, an error. Less than 2 % of the disk also causes a warning. Below a sixteenth of the value, requests that write get a 503, because PostgreSQL would stop. 0 disables all of this.",
  ),
  WAL_WARNING_BYTES: setting(
    { kind: "integer", min: 0, max: Number.MAX_SAFE_INTEGER, default: 4_000_000_000 },
    "Size of the write-ahead log of the embedded database above which a warning is logged, once; 0 disables it.",
  ),
  METRICS_PORT: setting(
    { kind: "integer", min: 0, max: PORT_MAX, default: 0 },
    "Port on which `GET /metrics` serves the Prometheus text format over plain HTTP; 0 disables it. It requires no key, so do not expose it publicly.",
  ),
  METRICS_HOST: setting({ kind: "host", default: "127.0.0.1" }, "Address on which metrics are served."),
};
