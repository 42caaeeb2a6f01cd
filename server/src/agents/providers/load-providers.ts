import { readFileSync } from "node:fs";
import { type Environment, type ModelCatalogue, type Settings, SettingsError } from "../../config/index.ts";
import type { Providers } from "./provider.ts";
import { resolveProviders } from "./resolve-providers.ts";

/** `environment` holds the keys that the file names. Throws a SettingsError that lists every fault. */
export function loadProviders(settings: Settings, environment: Environment = {}): Providers {
  return resolveProviders(settings, environment, readProvidersFile(settings.providersFile));
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
  const { provider_a, provider_b, provider_c } = providers;
  return { provider_a: provider_a.offered, provider_b: provider_b.offered, provider_c: provider_c.offered };
}
