import { PROVIDER_KINDS } from "./model-catalogue.ts";
import type { SettingRow } from "./setting-row.ts";

const TEN_MINUTES_MS = 600_000;

const KIND = { group: "Providers", kind: "choice", choices: PROVIDER_KINDS, secret: false } as const;
const BASE_URL = {
  group: "Providers",
  kind: "http-url",
  default: null,
  secret: false,
  description: "Address of the provider. Defaults to that of its kind.",
} as const;
const API_KEY = { group: "Providers", kind: "key", minLength: 1, default: null, secret: true } as const;
const MODELS = {
  group: "Providers",
  kind: "names",
  default: [],
  secret: false,
  description: "Models that agents may use, instead of the built-in list. The first one is the default.",
} as const;
const DEFAULT_MODEL = {
  group: "Providers",
  kind: "key",
  minLength: 1,
  default: null,
  secret: false,
  description: "Model of agents that name none.",
} as const;

/** Settings of who answers for agents. */
export const PROVIDER_SETTINGS = [
  {
    ...KIND,
    name: "PROVIDER_A_KIND",
    default: "openai",
    description: "Protocol of `provider_a`. `simulated` answers without a model, and says so.",
  },
  { ...BASE_URL, name: "PROVIDER_A_BASE_URL" },
  { ...API_KEY, name: "PROVIDER_A_API_KEY", description: "Key of `provider_a`." },
  { ...MODELS, name: "PROVIDER_A_MODELS" },
  { ...DEFAULT_MODEL, name: "PROVIDER_A_DEFAULT_MODEL" },
  { ...KIND, name: "PROVIDER_B_KIND", default: "anthropic", description: "Protocol of `provider_b`." },
  { ...BASE_URL, name: "PROVIDER_B_BASE_URL" },
  { ...API_KEY, name: "PROVIDER_B_API_KEY", description: "Key of `provider_b`." },
  { ...MODELS, name: "PROVIDER_B_MODELS" },
  { ...DEFAULT_MODEL, name: "PROVIDER_B_DEFAULT_MODEL" },
  { ...KIND, name: "PROVIDER_C_KIND", default: "google", description: "Protocol of `provider_c`." },
  { ...BASE_URL, name: "PROVIDER_C_BASE_URL" },
  { ...API_KEY, name: "PROVIDER_C_API_KEY", description: "Key of `provider_c`." },
  { ...MODELS, name: "PROVIDER_C_MODELS" },
  { ...DEFAULT_MODEL, name: "PROVIDER_C_DEFAULT_MODEL" },
  {
    name: "PROVIDERS_FILE",
    group: "Providers",
    kind: "path",
    default: null,
    secret: false,
    description:
      "JSON file that describes providers in full: models with their context windows and prices, fallbacks. It takes precedence over the variables, and is read again when it changes. See `docs/guides/models.md`.",
  },
  {
    name: "ALLOW_SIMULATED",
    group: "Providers",
    kind: "choice",
    choices: ["0", "1", "false", "true"],
    default: "0",
    secret: false,
    description: "Permits `simulated` providers when `NODE_ENV` is `production`.",
  },
  {
    name: "PROVIDER_FIRST_BYTE_TIMEOUT_MS",
    group: "Providers",
    kind: "integer",
    min: 10,
    max: TEN_MINUTES_MS,
    default: 30_000,
    secret: false,
    description: "Time that a provider has to begin a response, in milliseconds.",
  },
  {
    name: "PROVIDER_IDLE_TIMEOUT_MS",
    group: "Providers",
    kind: "integer",
    min: 10,
    max: TEN_MINUTES_MS,
    default: 30_000,
    secret: false,
    description: "Maximum time without data within a response, in milliseconds.",
  },
  {
    name: "PROVIDER_TOTAL_TIMEOUT_MS",
    group: "Providers",
    kind: "integer",
    min: 10,
    max: TEN_MINUTES_MS,
    default: 120_000,
    secret: false,
    description: "Time that a provider has for a complete response, in milliseconds.",
  },
  {
    name: "SIMULATED_FIRST_TOKEN_MS",
    group: "Providers",
    kind: "integer",
    min: 0,
    max: 60_000,
    default: 0,
    secret: false,
    description: "Delay before the first token of a simulated provider, in milliseconds.",
  },
  {
    name: "SIMULATED_TOKENS_PER_SECOND",
    group: "Providers",
    kind: "integer",
    min: 0,
    max: 100_000,
    default: 0,
    secret: false,
    description: "Token rate of a simulated provider; 0 means as fast as possible.",
  },
] as const satisfies readonly SettingRow[];
