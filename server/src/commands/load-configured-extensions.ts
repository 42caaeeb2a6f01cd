import type { Environment, Settings } from "../config/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";

/** The extensions that `EXTENSIONS` names. Commands that need none do not load the modules that the port depends on. */
export async function loadConfiguredExtensions(
  { extensions: names }: Pick<Settings, "extensions">,
  environment: Environment,
): Promise<readonly LoadedExtension[]> {
  if (names.length === 0) return [];
  const { loadExtensions } = await import("../extensions/index.ts");
  return loadExtensions({ names, environment });
}
