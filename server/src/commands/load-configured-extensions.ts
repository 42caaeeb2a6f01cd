import { type Environment, type Settings, SettingsError } from "../config/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";

const PROVIDERS = "providers";

/** The extensions that `EXTENSIONS` names, and `providers` if none of them can speak to the configured providers. */
export async function loadConfiguredExtensions(
  settings: Settings,
  environment: Environment,
): Promise<readonly LoadedExtension[]> {
  const { loadExtensions, protocolsOf } = await import("../extensions/index.ts");
  const named = await loadExtensions({ names: settings.extensions, environment });
  if (protocolsOf(named).length > 0 || !(await hasVendor(settings, environment))) return named;
  return [...(await loadExtensions({ names: [PROVIDERS], environment })), ...named];
}

/** The variables that the extensions read. */
export function listExtensionVariables(extensions: readonly LoadedExtension[]): readonly string[] {
  return extensions.flatMap(({ settings, extension: { standardVariables = [] } }) => [
    ...Object.keys(settings),
    ...standardVariables.map(({ name }) => name),
  ]);
}

async function hasVendor(settings: Settings, environment: Environment): Promise<boolean> {
  const { loadProviders } = await import("../agents/index.ts");
  try {
    const providers = Object.values(loadProviders(settings, environment));
    return providers.some(({ state, kind }) => state !== "unconfigured" && kind !== "simulated");
  } catch (error) {
    // Faults of the providers are no faults of an extension: whoever uses the providers reports them.
    if (error instanceof SettingsError) return false;
    throw error;
  }
}
