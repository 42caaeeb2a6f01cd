import { ACCOUNT_SETTINGS } from "./account-settings.ts";
import { AGENT_RUN_SETTINGS } from "./agent-settings.ts";
import { LIMIT_SETTINGS } from "./limit-settings.ts";
import { OPERATING_SETTINGS } from "./operating-settings.ts";
import { PROVIDER_SETTINGS } from "./provider-settings.ts";
import { REALTIME_SETTINGS } from "./realtime-settings.ts";
import type { SettingRow } from "./setting-row.ts";
import { TABLE_SETTINGS } from "./table-settings.ts";
import { WEBHOOK_SETTINGS } from "./webhook-settings.ts";

const PORT_MAX = 65_535;

/** Every setting of the service. The type `Settings`, the reference page and all checks are derived from this table. */
export const SETTINGS = [
  {
    name: "HOST",
    group: "Service",
    kind: "host",
    default: "127.0.0.1",
    secret: false,
    description: "Address to listen on. The default is reachable from this machine only.",
  },
  {
    name: "PORT",
    group: "Service",
    kind: "integer",
    min: 0,
    max: PORT_MAX,
    default: 8443,
    secret: false,
    description: "Port to listen on; 0 selects a free one.",
  },
  {
    name: "PUBLIC_URL",
    group: "Service",
    kind: "https-url",
    default: null,
    secret: false,
    description: "Address at which clients reach the service. Defaults to an address made from `HOST` and `PORT`.",
  },
  {
    name: "DATA_DIR",
    group: "Service",
    kind: "path",
    default: ".swarmbase",
    secret: false,
    description:
      "Folder for the embedded database, the local certificate authority and `credentials.json`. A relative path is resolved against the working directory of the service.",
  },
  {
    name: "NODE_ENV",
    group: "Service",
    kind: "choice",
    choices: ["development", "production", "test"],
    default: "development",
    secret: false,
    description: "Purpose of the service; conveniences for development are disabled in `production`.",
  },
  {
    name: "ROLES",
    group: "Service",
    kind: "names",
    default: ["api", "worker", "realtime"],
    secret: false,
    description:
      "Tasks of this node: `api` (serves requests, sends mails), `worker` (delivers webhooks, runs agents, cleans up) and `realtime` (serves sockets). Each task needs at least one node.",
  },
  {
    name: "CONSOLE",
    group: "Service",
    kind: "boolean",
    default: true,
    secret: false,
    description:
      "Whether the console for the browser is served at `/`. The service builds it at the start when it is missing or outdated.",
  },
  {
    name: "EXTENSIONS",
    group: "Service",
    kind: "extensions",
    default: ["reference"],
    secret: false,
    description:
      "Extensions to load. A plain name is a package of this repository (`packages/<name>`); other packages are named in full, other modules by their path from the working directory. `EXTENSIONS=` loads none.",
  },
  {
    name: "TLS_MODE",
    group: "TLS",
    kind: "choice",
    choices: ["serve", "proxy"],
    default: "serve",
    secret: false,
    description: "`serve`: the service terminates TLS itself. `proxy`: a proxy in front of it does.",
  },
  {
    name: "TLS_CERT_FILE",
    group: "TLS",
    kind: "path",
    default: null,
    secret: false,
    description:
      "Certificate chain in PEM format; requires `TLS_KEY_FILE`. Without it, a local authority and a certificate for `localhost` are created at the first start.",
  },
  {
    name: "TLS_KEY_FILE",
    group: "TLS",
    kind: "path",
    default: null,
    secret: false,
    description: "Private key of `TLS_CERT_FILE`, in PEM format.",
  },
  {
    name: "TRUSTED_PROXIES",
    group: "TLS",
    kind: "addresses",
    default: [],
    secret: false,
    description:
      "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. Required when `TLS_MODE` is `proxy`.",
  },
  {
    name: "DATABASE_URL",
    group: "Database",
    kind: "postgres-url",
    default: null,
    secret: true,
    description:
      "PostgreSQL 15 or later for all data; a pooler may be in between. Without it, PostgreSQL runs embedded in `DATA_DIR`.",
  },
  {
    name: "DATABASE_DIRECT_URL",
    group: "Database",
    kind: "postgres-url",
    default: null,
    fallback: "DATABASE_URL",
    secret: true,
    description: "The same database without a pooler, for notifications and the change feed.",
  },
  {
    name: "DATABASE_ADMIN_URL",
    group: "Database",
    kind: "postgres-url",
    default: null,
    fallback: "DATABASE_URL",
    secret: true,
    description: "The same database as a role that may create roles and schemas; migrations run with it.",
  },
  {
    name: "DB_POOL_SIZE",
    group: "Database",
    kind: "integer",
    min: 1,
    max: 1000,
    default: 10,
    secret: false,
    description: "Maximum number of connections of each of the three pools (users, service role, background work).",
  },
  {
    name: "EMBEDDED_PORT",
    group: "Database",
    kind: "integer",
    min: 0,
    max: PORT_MAX,
    default: 0,
    secret: false,
    description:
      "Loopback port of the embedded PostgreSQL; 0 selects the port of the last start, or a free one. When the port is in use, a free one is selected as well.",
  },
  {
    name: "RESTORED_COPY",
    group: "Database",
    kind: "choice",
    choices: ["keep", "hold", "resume"],
    default: "keep",
    secret: false,
    description:
      "Whether the database counts as a restored copy, in which deliveries, agent runs and mails are held. `restore` marks the databases that it creates. `keep` leaves the mark as it is, `hold` sets it at the start (for a copy that was made in another way), `resume` removes it at the start, as `swarmbase resume` does.",
  },
  ...TABLE_SETTINGS,
  {
    name: "MASTER_KEY",
    group: "Keys",
    kind: "key",
    minLength: 32,
    default: null,
    secret: true,
    description:
      "Encrypts the keys in the database; must be the same on every node. Required with `DATABASE_URL`; with the embedded database it is created once and kept in `DATA_DIR`.",
  },
  {
    name: "ANON_KEY",
    group: "Keys",
    kind: "key",
    minLength: 1,
    default: null,
    secret: true,
    description: "The public client key. Defaults to a key that the service creates.",
  },
  {
    name: "SERVICE_ROLE_KEY",
    group: "Keys",
    kind: "key",
    minLength: 1,
    default: null,
    secret: true,
    description: "The key that bypasses row-level security. Defaults to a key that the service creates.",
  },
  ...ACCOUNT_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...REALTIME_SETTINGS,
  ...AGENT_RUN_SETTINGS,
  ...PROVIDER_SETTINGS,
  {
    name: "BODY_LIMIT_BYTES",
    group: "Limits",
    kind: "integer",
    min: 1024,
    max: 1_073_741_824,
    default: 1_048_576,
    secret: false,
    description: "Maximum size of a request body; a larger one gets 413.",
  },
  {
    name: "AGENT_LIMIT_PER_USER",
    group: "Limits",
    kind: "integer",
    min: 1,
    max: 1_000_000,
    default: 100,
    secret: false,
    description: "Maximum number of agents that one user may own.",
  },
  ...LIMIT_SETTINGS,
  ...OPERATING_SETTINGS,
] as const satisfies readonly SettingRow[];
