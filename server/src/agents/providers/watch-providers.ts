import { isDeepStrictEqual } from "node:util";
import type { Environment, Settings } from "../../config/index.ts";
import { type Commits, UNWATCHED, type Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import { readProvidersFile } from "./load-providers.ts";
import type { Providers } from "./provider.ts";
import { type FoundProviders, resolveProviders } from "./resolve-providers.ts";
import { type Sleep, sleep as systemSleep } from "./sleep.ts";
import type { StoredKeys } from "./stored-keys.ts";

const POLL_MS = 2000;

interface WatchOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  /** What the current providers were resolved with. */
  readonly found: FoundProviders;
  readonly observer: Observer;
  readonly commits?: Commits;
  /** The keys in the database. */
  readonly readStored: () => Promise<StoredKeys>;
  /** Called with valid providers, one call at a time. Called again with the same ones when it fails. */
  readonly onChange: (providers: Providers) => Promise<void>;
  readonly sleep?: Sleep;
}

/**
 * Uses the providers file and the stored keys again when they have changed. Polls, because file watchers lose files and folders that
 * editors and orchestrators replace. Reports a file that is not valid once and keeps the current providers.
 */
export function watchProviders(options: WatchOptions): Worker {
  const {
    settings,
    environment,
    found,
    observer,
    commits = UNWATCHED,
    readStored,
    onChange,
    sleep = systemSleep,
  } = options;
  const { providersFile } = settings;
  return {
    name: "providers",
    async run(signal) {
      let known = { text: readQuietly(providersFile), stored: found.stored };
      while (!signal.aborted) {
        const { version } = commits;
        await sleep(POLL_MS, signal).catch(() => {});
        if (providersFile === null) await commits.after(version, signal);
        if (signal.aborted) continue;
        // A database that is unavailable is reported elsewhere.
        const now = { text: readQuietly(providersFile), stored: await readStored().catch(() => known.stored) };
        if (isDeepStrictEqual(now, known)) continue;
        try {
          const text = now.text ?? readProvidersFile(providersFile);
          await onChange(resolveProviders(settings, environment, text, { ...found, stored: now.stored }));
          observer.note("provider.reloaded");
          known = now;
        } catch (error) {
          observer.note("provider.reload_failed", { err: error });
          if (error instanceof Error && error.name === "SettingsError") known = now;
        }
      }
    },
  };
}

function readQuietly(path: string | null): string | null {
  try {
    return readProvidersFile(path);
  } catch {
    return null;
  }
}
