import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import {
  describeModel,
  type Environment,
  isSelfHosted,
  type OfferedModels,
  type ProviderKind,
  type Settings,
  SettingsError,
  shippedIds,
} from "../../config/index.ts";
import { type DetectedProvider, detectProviders, type FoundOllama } from "./detect-providers.ts";
import { baseUrlOf, VENDORS } from "./known-vendors.ts";
import { offerFileModel, type ProvidersFile, parseProvidersFile } from "./parse-providers-file.ts";
import type { Provider, Providers } from "./provider.ts";
import type { StoredKeys } from "./stored-keys.ts";

const LETTERS = { provider_a: "A", provider_b: "B", provider_c: "C" } as const satisfies Record<Framework, string>;

const AS_CONFIGURED = { origin: null, detectionFault: null } as const;

interface Variables {
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly models: readonly string[];
  readonly defaultModel: string | null;
}

/** What is known beside the settings and the file. */
export interface FoundProviders {
  readonly stored: StoredKeys;
  readonly ollama: FoundOllama | null;
}

export const NOTHING_FOUND: FoundProviders = { stored: {}, ollama: null };

/**
 * Resolves the provider of each framework: the file takes precedence over the settings, and these over keys that are stored in the
 * database. Only where there is none of them, providers are detected. Throws a SettingsError that lists every fault.
 */
export function resolveProviders(
  settings: Settings,
  environment: Environment,
  fileText: string | null,
  { stored, ollama }: FoundProviders = NOTHING_FOUND,
): Providers {
  const { file, faults: fileFaults } = fileText === null ? { file: {}, faults: [] } : parseProvidersFile(fileText);
  const faults = [...fileFaults];
  const configured = FRAMEWORKS.map((framework) => {
    const variables = pickVariables(settings, framework);
    const provider = fromFile(framework, file, variables, environment) ?? fromVariables(framework, variables, faults);
    const key = stored[framework];
    return provider.state === "unconfigured" && key !== undefined ? fromStored(framework, key, environment) : provider;
  });
  const isNone = configured.every(({ state }) => state === "unconfigured");
  const detection = isNone ? detectProviders(settings, environment, ollama) : { found: {}, faults: {} };
  const resolved = configured.map((provider) => {
    const found = detection.found[provider.framework];
    const detectionFault = detection.faults[provider.framework] ?? null;
    return found === undefined ? { ...provider, detectionFault } : fromDetected(provider, found);
  });
  for (const { framework, kind } of resolved) {
    if (kind === "simulated" && settings.nodeEnv === "production" && !mayBeSimulated(settings))
      faults.push(`${framework} is simulated, which production does not allow without ALLOW_SIMULATED=1`);
  }
  if (faults.length > 0) throw new SettingsError(faults);
  const isAnyReal = resolved.some(({ state, kind }) => state !== "unconfigured" && kind !== "simulated");
  const mayFillIn = !isAnyReal && settings.nodeEnv !== "production";
  const entries = resolved.map((provider) => [
    provider.framework,
    mayFillIn && provider.state === "unconfigured" ? simulate(provider) : provider,
  ]);
  return Object.fromEntries(entries) as Providers;
}

function mayBeSimulated({ allowSimulated }: Settings): boolean {
  return allowSimulated === "1" || allowSimulated === "true";
}

function simulate(provider: Provider): Provider {
  return { ...provider, kind: "simulated", state: "ready", offered: { ...provider.offered, isSimulated: true } };
}

function fromDetected({ framework }: Provider, { origin, ...found }: DetectedProvider): Provider {
  const provider = fromVariables(framework, { ...found, defaultModel: null }, []);
  return { ...provider, origin };
}

/** The vendor's provider with a key that a person has given to the service. */
export function fromStored(framework: Framework, apiKey: string, environment: Environment): Provider {
  const { kind } = VENDORS[framework];
  const baseUrl = baseUrlOf(framework, environment) ?? null;
  const provider = fromVariables(framework, { kind, baseUrl, apiKey, models: [], defaultModel: null }, []);
  return { ...provider, origin: "stored key" };
}

function fromFile(
  framework: Framework,
  file: ProvidersFile,
  variables: Variables,
  environment: Environment,
): Provider | null {
  const entry = file[framework];
  if (entry === undefined) return null;
  const { kind, base_url: baseUrl = null, api_key_env: keyName } = entry;
  const named = keyName === undefined ? undefined : environment[keyName];
  const apiKey = keyName === undefined ? variables.apiKey : named === undefined || named === "" ? null : named;
  const models = entry.models?.map((model) => offerFileModel(kind, model));
  const offered = models ?? shippedIds(framework, kind).map((id) => describeModel(kind, id));
  const needsKey = kind !== "simulated" && (baseUrl === null || keyName !== undefined);
  return {
    framework,
    kind,
    state: needsKey && apiKey === null ? "keyless" : "ready",
    baseUrl: baseUrl?.replace(/\/+$/, "") ?? null,
    ...AS_CONFIGURED,
    key: () => apiKey,
    fallback: entry.fallback ?? [],
    isCachingPrompts: entry.prompt_caching ?? true,
    hasReasoningSummaries: entry.reasoning_summaries ?? false,
    offered: {
      models: offered,
      defaultModel: entry.default_model ?? offered[0]?.id ?? "",
      isOpen: entry.allow_unlisted_models ?? false,
      isSimulated: kind === "simulated",
    },
  };
}

function fromVariables(framework: Framework, variables: Variables, faults: string[]): Provider {
  const { kind, baseUrl, apiKey } = variables;
  const letter = LETTERS[framework];
  const isConfigured = kind === "simulated" || apiKey !== null || baseUrl !== null;
  if (isSelfHosted(kind) && baseUrl === null)
    faults.push(`PROVIDER_${letter}_BASE_URL is required when PROVIDER_${letter}_KIND is ${kind}`);
  if (
    variables.models.length > 0 &&
    variables.defaultModel !== null &&
    !variables.models.includes(variables.defaultModel)
  )
    faults.push(`PROVIDER_${letter}_DEFAULT_MODEL is not among PROVIDER_${letter}_MODELS`);
  return {
    framework,
    kind,
    state: isConfigured ? "ready" : "unconfigured",
    baseUrl,
    ...AS_CONFIGURED,
    key: () => apiKey,
    fallback: [],
    isCachingPrompts: true,
    hasReasoningSummaries: false,
    offered: offerFromVariables(framework, variables),
  };
}

function offerFromVariables(framework: Framework, variables: Variables): OfferedModels {
  const { kind, models, defaultModel } = variables;
  const listed = models.length > 0 ? models : shippedIds(framework, kind);
  const ids = defaultModel === null || listed.includes(defaultModel) ? listed : [defaultModel, ...listed];
  return {
    models: ids.map((id) => describeModel(kind, id)),
    defaultModel: defaultModel ?? ids[0] ?? "",
    // The models of such a server are not known unless they are configured.
    isOpen: isSelfHosted(kind) && models.length === 0,
    isSimulated: kind === "simulated",
  };
}

function pickVariables(settings: Settings, framework: Framework): Variables {
  const letter = LETTERS[framework];
  return {
    kind: settings[`provider${letter}Kind`],
    baseUrl: settings[`provider${letter}BaseUrl`],
    apiKey: settings[`provider${letter}ApiKey`],
    models: settings[`provider${letter}Models`],
    defaultModel: settings[`provider${letter}DefaultModel`],
  };
}
