import { type Environment, type Settings, SettingsError } from "../../config/index.ts";
import type { ExtensionSchema } from "../../db/index.ts";
import { loadConfiguredExtensions } from "../load-configured-extensions.ts";
import type { Findings } from "./finding.ts";

/** Resolves to the schemas of the extensions, for the check of their migrations. */
export async function checkExtensions(
  settings: Settings,
  env: Environment,
  findings: Findings,
): Promise<readonly ExtensionSchema[]> {
  try {
    const extensions = await loadConfiguredExtensions(settings, env);
    if (extensions.length === 0) findings.ok("extensions", "EXTENSIONS names none");
    for (const { extension } of extensions) findings.ok("extensions", `${extension.name}: ${extension.summary}`);
    return extensions.flatMap(({ schema }) => schema ?? []);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const fault of error.faults) {
      findings.fault("extensions", {
        what: fault,
        why: "The service does not start with an extension that it cannot use.",
        advice: "Correct EXTENSIONS or the extension; see docs/guides/extensions.md.",
      });
    }
    return [];
  }
}
