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
    description: "Time a client has to send its whole request, in milliseconds.",
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
      "How long the service goes on serving after SIGTERM while `/ready` already answers 503, in milliseconds. Behind a balancer, set it to a little more than the balancer needs to notice.",
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
      "Time that agent runs have to finish when the service stops, in milliseconds; after that they end as `cancelled`. A second signal stops at once.",
  },
  {
    name: "LOG_LEVEL",
    group: "Logging",
    kind: "choice",
    choices: ["fatal", "error", "warn", "info", "debug", "trace"],
    default: "info",
    secret: false,
    description: "The least important lines that are still written.",
  },
  {
    name: "LOG_FORMAT",
    group: "Logging",
    kind: "choice",
    choices: ["auto", "json", "pretty"],
    default: "auto",
    secret: false,
    description: "`auto` is `json` in `production` and `pretty`, for people, elsewhere.",
  },
  {
    name: "ACCESS_LOG",
    group: "Logging",
    kind: "boolean",
    default: false,
    secret: false,
    description: "Whether the line of every request is written, whatever `LOG_LEVEL` is. Otherwise that takes `debug`.",
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
      "Free room on the disk of the embedded database below which the log warns, once; below a quarter of it the line is an error. A fiftieth of the disk warns too. 0 is off.",
  },
  {
    name: "WAL_WARNING_BYTES",
    group: "Logging",
    kind: "integer",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 4_000_000_000,
    secret: false,
    description: "Size of the write-ahead log of the embedded database above which the log warns, once; 0 is off.",
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
      "Port on which `GET /metrics` answers over plain HTTP in the text format of Prometheus; 0 is off. It asks for no key, so keep it away from the public.",
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
