import { readFileSync } from "node:fs";
import {
  type Environment,
  type ModelCatalogue,
  type OfferedModels,
  type Settings,
  SettingsError,
} from "../../config/index.ts";
import type { Provider, Providers } from "./provider.ts";
import { identifyProvider } from "./provider-identity.ts";
import type { VendorProtocol } from "./provider-protocol.ts";
import { requireProtocols } from "./require-protocols.ts";
import { resolveProviders } from "./resolve-providers.ts";

/**
 * `environment` has the keys whose names the file contains, `protocols` the kinds of the loaded extensions; null: any kind is
 * accepted. Throws a SettingsError that lists every fault.
 */
export function loadProviders(
  settings: Settings,
  environment: Environment = {},
  protocols: readonly VendorProtocol[] | null = null,
): Providers {
  const providers = resolveProviders(settings, environment, readProvidersFile(settings.providersFile));
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
  const offer = (provider: Provider): OfferedModels => ({
    ...provider.offered,
    providerName: identifyProvider(provider).name,
  });
  const { provider_a, provider_b, provider_c } = providers;
  return { provider_a: offer(provider_a), provider_b: offer(provider_b), provider_c: offer(provider_c) };
}

/** One line for each framework, for the banner. Without keys and addresses, which may contain keys. */
export function describeProviders(providers: Providers): readonly string[] {
  return Object.values(providers).map(({ framework, kind, state, offered }) => {
    switch (state) {
      case "unconfigured":
        return `${framework}: not configured, its agents cannot answer`;
      case "keyless":
        return `${framework}: ${kind}, but its API key is missing, its agents cannot answer`;
      case "ready":
        return kind === "simulated"
          ? `${framework}: SIMULATED, replies begin with [simulated] and come from no model`
          : `${framework}: ${kind}, ${offered.defaultModel} by default`;
    }
  });
}
