import { readFileSync } from "node:fs";
import type { Framework } from "@swarmbase/sdk";
import {
  type Environment,
  type ModelCatalogue,
  type OfferedModels,
  type Settings,
  SettingsError,
} from "../../config/index.ts";
import { preferredFramework } from "./name-providers.ts";
import { mayBeFallback, type Provider, type Providers } from "./provider.ts";
import { identifyProvider } from "./provider-identity.ts";
import type { VendorProtocol } from "./provider-protocol.ts";
import { requireProtocols } from "./require-protocols.ts";
import { type FoundProviders, NOTHING_FOUND, resolveProviders } from "./resolve-providers.ts";

/**
 * `environment` has the keys whose names the file contains, `protocols` the kinds of the loaded extensions; null means that any kind is
 * accepted. Throws a SettingsError that lists every fault.
 */
export function loadProviders(
  settings: Settings,
  environment: Environment = {},
  protocols: readonly VendorProtocol[] | null = null,
  found: FoundProviders = NOTHING_FOUND,
): Providers {
  const providers = resolveProviders(settings, environment, readProvidersFile(settings.providersFile), found);
  if (protocols !== null) requireProtocols(providers, protocols);
  return providers;
}

export function readProvidersFile(path: string | null): string | null {
  if (path === null) return null;
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new SettingsError(["PROVIDERS_FILE names a file that cannot be read"]);
  }
}

export function catalogueOf(providers: Providers): ModelCatalogue {
  const preferred = preferredFramework(providers);
  const offer = (provider: Provider): OfferedModels => ({
    ...provider.offered,
    providerName: identifyProvider(provider).name,
    fallbacks: provider.fallback.filter((framework) => mayBeFallback(providers[framework])),
    isDefault: provider.framework === preferred,
  });
  const { provider_a, provider_b, provider_c } = providers;
  return { provider_a: offer(provider_a), provider_b: offer(provider_b), provider_c: offer(provider_c) };
}

/** What the tests of keys have found wrong. */
export type ProviderFaults = Readonly<Partial<Record<Framework, string>>>;

/** For the banner, where nobody has configured anything. */
const ALL_SIMULATED = "simulated: replies begin with [simulated] and come from no model";

/** One line for each framework, or one for all, for the banner. Without keys and addresses, which may contain keys. */
export function describeProviders(providers: Providers, faults: ProviderFaults = {}): readonly string[] {
  const all = Object.values(providers);
  if (all.every(({ kind, detectionFault }) => kind === "simulated" && detectionFault === null)) return [ALL_SIMULATED];
  return all.map((provider) => {
    const { framework, detectionFault } = provider;
    const fault = faults[framework] ?? detectionFault;
    return `${framework}: ${describe(provider)}${fault === null ? "" : `; ${fault}`}`;
  });
}

function describe({ kind, state, offered, origin }: Provider): string {
  switch (state) {
    case "unconfigured":
      return "not configured, its agents cannot answer";
    case "keyless":
      return `${kind}, but its API key is missing, its agents cannot answer`;
    case "ready":
      return kind === "simulated"
        ? "SIMULATED, replies begin with [simulated] and come from no model"
        : `${kind}, ${offered.defaultModel} by default${origin === null ? "" : ` (${origin})`}`;
  }
}
