import type { Environment, Settings } from "../../config/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import { readProvidersFile } from "./load-providers.ts";
import type { Providers } from "./provider.ts";
import { resolveProviders } from "./resolve-providers.ts";
import { type Sleep, sleep as systemSleep } from "./sleep.ts";

const LOOK_EVERY_MS = 2000;

export interface FollowOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly observer: Observer;
  /** Called with providers that are good, one call at a time; when it fails the same ones come again. */
  readonly onChange: (providers: Providers) => Promise<void>;
  readonly sleep?: Sleep;
}

/**
 * Reads the providers file again when it has changed. By looking, because editors and orchestrators replace the file or
 * the folder around it, which watchers lose sight of. A bad file changes nothing and is told once.
 */
export function followProvidersFile({
  settings,
  environment,
  observer,
  onChange,
  sleep = systemSleep,
}: FollowOptions): Worker {
  return {
    name: "providers-file",
    async run(signal) {
      let known = settings.providersFile === null ? null : readQuietly(settings.providersFile);
      while (!signal.aborted) {
        await sleep(LOOK_EVERY_MS, signal).catch(() => {});
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
