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

    const isPlain = format === "pretty";
    const app = await startUnlessStopped({ settings, extensions, observer, meter, context, isPlain });
    if (app === null) return endCode(context);
    announce({ app, settings, observer, context, isPlain, tookMs: Math.round(performance.now() - startedAtMs) });
    return serveUntilStopped(app, { settings, observer, context });
  },
};

/** Resolves with null when the program has to end before the service has started. */
async function startUnlessStopped(start: {
  readonly settings: Settings;
  readonly extensions: readonly LoadedExtension[];
  readonly observer: Observer;
  readonly meter: Meter | null;
  readonly context: CommandContext;
  readonly isPlain: boolean;
}): Promise<App | null> {
  const { settings, extensions, observer, meter, context, isPlain } = start;
  const { clock, version, signal, stdout } = context;
  const onProgress = (line: string) => {
    if (isPlain) stdout.write(`${line}\n`);
    else observer.note("service.progress", { step: line });
  };
  // Loads all modules; other commands need few of them.
  const { startApp } = await import("../app.ts");
  try {
    const environment = context.env;
    return await startApp({ settings, environment, extensions, observer, meter, clock, version, signal, onProgress });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

interface Serving {
  readonly settings: Settings;
  readonly observer: Observer;
  readonly context: CommandContext;
}

async function serveUntilStopped(app: App, { settings, observer, context }: Serving): Promise<number> {
  const stopAsked = new Promise<null>((resolve) => {
    if (context.signal.aborted) resolve(null);
    context.signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  const failed = app.failed.catch((error: unknown) => ({ error }));
  const fault = await Promise.race([stopAsked, failed]);
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

/** Logs a crash at once, because stopping may take long, or never end. */
function reportCrash({ signal }: CommandContext, observer: Observer): void {
  const report = () => {
    if (signal.reason instanceof CrashReason) observer.note("service.crashed", { error: signal.reason.cause });
  };
  if (signal.aborted) report();
  else signal.addEventListener("abort", report, { once: true });
}

function endCode({ signal }: CommandContext): number {
  return signal.reason instanceof CrashReason ? 1 : 0;
}

function chooseFormat(settings: Settings): "json" | "pretty" {
  if (settings.logFormat !== "auto") return settings.logFormat;
  return settings.nodeEnv === "production" ? "json" : "pretty";
}

interface Announcement {
  readonly app: App;
  readonly settings: Settings;
  readonly observer: Observer;
  readonly context: CommandContext;
  readonly isPlain: boolean;
  readonly tookMs: number;
}

function announce({ app, settings, observer, context, isPlain, tookMs }: Announcement): void {
  const keysFile = credentialsPath(settings.dataDir);
  if (isPlain) {
    context.stdout.write(renderBanner({ ...app, keysFile, version: context.version, tookMs }));
    return;
  }
  const curl = buildHealthCommand(app);
  const { url, providers, extensions, databaseDir } = app;
  observer.note("service.started", {
    url,
    providers,
    extensions,
    curl,
    databaseDir,
    operatorFile: keysFile,
    version: context.version,
    tookMs,
  });
}
