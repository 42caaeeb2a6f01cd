import { docsPage, type Environment, type Settings, SettingsError } from "../../config/index.ts";
import type { ExtensionSchema } from "../../db/index.ts";
import { loadConfiguredExtensions } from "../load-configured-extensions.ts";
import type { CommandContext } from "../command.ts";
import type { LoadedExtension } from "../../extensions/index.ts";
import { openCommandContext } from "../extension-command-context.ts";
import type { Findings } from "./finding.ts";

/** Resolves to the extensions, for the checks of their migrations and for their own checks. */
export async function checkExtensions(
  settings: Settings,
  env: Environment,
  findings: Findings,
): Promise<readonly LoadedExtension[]> {
  try {
    const extensions = await loadConfiguredExtensions(settings, env);
    if (extensions.length === 0) findings.ok("extensions", "EXTENSIONS names none");
    for (const { extension } of extensions) findings.ok("extensions", `${extension.name}: ${extension.summary}`);
    return extensions;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const fault of error.faults) {
      findings.fault("extensions", {
        what: fault,
        why: "The service does not start with an extension that it cannot use.",
        advice: `Correct EXTENSIONS or the extension; see ${docsPage("guides/extensions")}.`,
      });
    }
    return [];
  }
}

/** What the extensions find out about themselves. */
export async function runExtensionChecks(
  extensions: readonly LoadedExtension[],
  settings: Settings,
  context: CommandContext,
  findings: Findings,
): Promise<void> {
  for (const loaded of extensions) {
    const { name, findProblems } = loaded.extension;
    const found = (await findProblems?.(openCommandContext(loaded, settings, schemasOf(extensions), context))) ?? [];
    for (const finding of found) {
      if (finding.level === "ok") findings.ok(name, finding.what);
      else findings[finding.level === "fault" ? "fault" : "warn"](name, finding);
    }
  }
}

export function schemasOf(extensions: readonly LoadedExtension[]): readonly ExtensionSchema[] {
  return extensions.flatMap(({ schema }) => schema ?? []);
}
