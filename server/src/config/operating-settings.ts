import type { SettingRow } from "./setting-row.ts";

const PORT_MAX = 65_535;
const TEN_MINUTES_MS = 600_000;

/** Settings of how the service stops, and what it tells about itself. */
export const OPERATING_SETTINGS = [
  {
    name: "REQUEST_TIMEOUT_MS",
    group: "Timeouts",
    kind: "integer",
    min: 100,
    max: TEN_MINUTES_MS,
    default: 30_000,
    secret: false,
    description: "Time that a client has to send a complete request, in milliseconds.",
  },
  {
    name: "STOP_DELAY_MS",
    group: "Timeouts",
    kind: "integer",
    min: 0,
    max: TEN_MINUTES_MS,
    default: 0,
    secret: false,
    description:
      "Time that the service continues to serve after SIGTERM while `/ready` returns 503, in milliseconds. Behind a load balancer, set it to slightly more than the balancer needs to notice.",
  },
  {
    name: "STOP_TIMEOUT_MS",
    group: "Timeouts",
    kind: "integer",
    min: 0,
    max: TEN_MINUTES_MS,
    default: 10_000,
    secret: false,
    description: "Time that requests in flight have to finish when the service stops, in milliseconds.",
  },
  {
    name: "AGENT_RUN_STOP_TIMEOUT_MS",
    group: "Timeouts",
    kind: "integer",
    min: 0,
    max: TEN_MINUTES_MS,
    default: 30_000,
    secret: false,
    description:
      "Time that agent runs have to finish when the service stops, in milliseconds; then they end as `cancelled`. A second signal stops the service at once.",
  },
  {
    name: "LOG_LEVEL",
    group: "Logging",
    kind: "choice",
    choices: ["fatal", "error", "warn", "info", "debug", "trace"],
    default: "info",
    secret: false,
    description: "Minimum level of the lines that are logged.",
  },
  {
    name: "LOG_FORMAT",
    group: "Logging",
    kind: "choice",
    choices: ["auto", "json", "pretty"],
    default: "auto",
    secret: false,
    description: "`auto` means `json` in `production` and `pretty`, for people, otherwise.",
  },
  {
    name: "ACCESS_LOG",
    group: "Logging",
    kind: "boolean",
    default: false,
    secret: false,
    description: "Whether every request is logged at any `LOG_LEVEL`. Otherwise requests are logged at `debug` only.",
  },
  {
    name: "DISK_WARNING_BYTES",
    group: "Logging",
    kind: "integer",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 2_000_000_000,
    secret: false,
    description:
      "Free space on the disk of the embedded database below which a warning is logged, once; below a quarter of it, an error. Less than 2 % of the disk also causes a warning. 0 disables it.",
  },
  {
    name: "WAL_WARNING_BYTES",
    group: "Logging",
    kind: "integer",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 4_000_000_000,
    secret: false,
    description:
      "Size of the write-ahead log of the embedded database above which a warning is logged, once; 0 disables it.",
  },
  {
    name: "METRICS_PORT",
    group: "Logging",
    kind: "integer",
    min: 0,
    max: PORT_MAX,
    default: 0,
    secret: false,
    description:
      "Port on which `GET /metrics` serves the Prometheus text format over plain HTTP; 0 disables it. It requires no key, so do not expose it publicly.",
  },
  {
    name: "METRICS_HOST",
    group: "Logging",
    kind: "host",
    default: "127.0.0.1",
    secret: false,
    description: "Address on which metrics are served.",
  },
] as const satisfies readonly SettingRow[];
