import type { Environment, Settings } from "../../config/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import { readProvidersFile } from "./load-providers.ts";
import type { Providers } from "./provider.ts";
import { resolveProviders } from "./resolve-providers.ts";
import { type Sleep, sleep as systemSleep } from "./sleep.ts";

const POLL_MS = 2000;

export interface ProvidersFileOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly observer: Observer;
  /** Called with valid providers, one call at a time. Called again with the same ones when it fails. */
  readonly onChange: (providers: Providers) => Promise<void>;
  readonly sleep?: Sleep;
}

/**
 * Reads the providers file again when it has changed. Polls, because file watchers lose files and folders that editors and
 * orchestrators replace. Reports a file that is not valid once and keeps the current providers.
 */
export function watchProvidersFile({
  settings,
  environment,
  observer,
  onChange,
  sleep = systemSleep,
}: ProvidersFileOptions): Worker {
  return {
    name: "providers-file",
    async run(signal) {
      let known = settings.providersFile === null ? null : readQuietly(settings.providersFile);
      while (!signal.aborted) {
        await sleep(POLL_MS, signal).catch(() => {});
        if (signal.aborted || settings.providersFile === null) continue;
        const text = readQuietly(settings.providersFile);
        if (text === known) continue;
        try {
          const providers = resolveProviders(settings, environment, text ?? readProvidersFile(settings.providersFile));
          await onChange(providers);
          observer.note("provider.reloaded");
          known = text;
        } catch (error) {
          observer.note("provider.reload_failed", { err: error });
          if (error instanceof Error && error.name === "SettingsError") known = text;
        }
      }
    },
  };
}

function readQuietly(path: string): string | null {
  try {
    return readProvidersFile(path);
  } catch {
    return null;
  }
}
