import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app.ts";
import { credentialsPath } from "../auth/index.ts";
import { findLikelyTypos, loadSettings, type Settings } from "../config/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import { createMeter, createObserver, type Meter, type Observer } from "../observe/index.ts";
import { type Command, type CommandContext, CrashReason } from "./command.ts";
import { loadConfiguredExtensions } from "./load-configured-extensions.ts";
import { parseOptions } from "./parse-options.ts";
import { buildHealthCommand, renderBanner } from "./render-banner.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "start the service (what npm start does)",
  help: `
Usage: swarmbase serve

Starts the embedded database, or connects to that of DATABASE_URL, migrates it, and serves until Ctrl-C or SIGTERM. The
keys and the address are in credentials.json in the data directory (DATA_DIR, default .swarmbase).`,
  run: async (context) => {
    parseOptions(context.args, {});
    const startedAtMs = performance.now();
    const settings = loadSettings(context.env);
    const extensions = await loadConfiguredExtensions(settings, context.env);
    const format = chooseFormat(settings);
    const meter = settings.metricsPort > 0 ? createMeter() : null;
    const { logLevel: level, accessLog: hasAccessLog } = settings;
    const observer = createObserver({ level, format, destination: context.stdout, meter, hasAccessLog });
    reportCrash(context, observer);
    for (const { found, meant } of findLikelyTypos(
      context.env,
      extensions.flatMap(({ settings: own }) => Object.keys(own)),
    )) {
      observer.note("service.setting_unknown", { found, meant });
    }

    const serving = { settings, extensions, observer, meter, context, isPlain: format === "pretty" };
    const app = await startUnlessStopped(serving);
    if (app === null) return endCode(context);
    announce(app, serving, Math.round(performance.now() - startedAtMs));
    return serveUntilStopped(app, serving);
  },
};

interface Serving {
  readonly settings: Settings;
  readonly extensions: readonly LoadedExtension[];
  readonly observer: Observer;
  readonly meter: Meter | null;
  readonly context: CommandContext;
  readonly isPlain: boolean;
}

/** Resolves with null when the program has to end before the service has started. */
async function startUnlessStopped({ context, isPlain, ...parts }: Serving): Promise<App | null> {
  const { env: environment, clock, version, signal, stdout } = context;
  const onProgress = (line: string) => {
    if (isPlain) stdout.write(`${line}\n`);
    else parts.observer.note("service.progress", { step: line });
  };
  // Loads all modules; other commands need few of them.
  const { startApp } = await import("../app.ts");
  try {
    return await startApp({ ...parts, environment, clock, version, signal, onProgress });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

async function serveUntilStopped(app: App, { settings, observer, context }: Serving): Promise<number> {
  const stopRequested = Promise.withResolvers<null>();
  onAbort(context, () => stopRequested.resolve(null));
  const failed = app.failed.catch((error: unknown) => ({ error }));
  const fault = await Promise.race([stopRequested.promise, failed]);
  const code = fault === null ? endCode(context) : 1;
  if (fault !== null) observer.note("service.crashed", { error: fault.error });
  // A load balancer must not send requests to a crashed service, so only an ordinary stop waits for it.
  const delayMs = code === 0 ? settings.stopDelayMs : 0;
  observer.note("service.stopping", { delayMs });
  if (delayMs > 0) {
    app.leave();
    await Promise.race([sleep(delayMs), failed]);
  }
  await app.stop();
  observer.note("service.stopped");
  return code;
}

function onAbort({ signal }: CommandContext, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
}

/** Logs a crash at once, because stopping may take long, or never end. */
function reportCrash(context: CommandContext, observer: Observer): void {
  onAbort(context, () => {
    const { reason } = context.signal as { readonly reason: unknown };
    if (reason instanceof CrashReason) observer.note("service.crashed", { error: reason.cause });
  });
}

function endCode({ signal }: CommandContext): number {
  return signal.reason instanceof CrashReason ? 1 : 0;
}

function chooseFormat(settings: Settings): "json" | "pretty" {
  if (settings.logFormat !== "auto") return settings.logFormat;
  return settings.nodeEnv === "production" ? "json" : "pretty";
}

function announce(app: App, { settings, observer, context, isPlain }: Serving, tookMs: number): void {
  const { version, stdout } = context;
  const keysFile = credentialsPath(settings.dataDir);
  if (isPlain) {
    stdout.write(renderBanner({ ...app, keysFile, version, tookMs }));
    return;
  }
  const { url, providers, extensions, databaseDir } = app;
  const curl = buildHealthCommand(app);
  const fields = { url, providers, extensions, curl, databaseDir, operatorFile: keysFile, version, tookMs };
  observer.note("service.started", fields);
}
