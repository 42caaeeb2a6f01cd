import { setTimeout as sleep } from "node:timers/promises";
import { findLikelyTypos, loadSettings, parseOptions, type Settings } from "../config/index.ts";
import { measureMachine } from "../db/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import { type Command, type CommandContext, CrashReason } from "./command.ts";
import { listExtensionVariables, loadConfiguredExtensions } from "./load-configured-extensions.ts";
import { chooseFormat, onAbort, reportCrash } from "./observe-service.ts";
import { type Observability, openObservability } from "./observability.ts";
import { mayHaveWorkerProcesses } from "../processes/index.ts";
import { type PrimaryService, type RunningService, startNode, startPrimary, type StartTimes } from "../wiring/index.ts";
import { buildHealthCommand, renderBanner } from "./render-banner.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "start the service (the default)",
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
    const { close: closeTelemetry, ...observation } = await openObservability(settings, extensions, {
      ...context,
      format,
    });
    const { observer } = observation;
    reportCrash(context, observer);
    for (const { found, meant } of findLikelyTypos(context.env, listExtensionVariables(extensions)))
      observer.note("service.setting_unknown", { found, meant });
    if (settings.nodeEnv === "production" && settings.smtpUrl === null && settings.authHookSendEmailUri === null)
      observer.note("mail.absent");

    const startTimes: StartTimes = new Map([["settings", Math.round(performance.now())]]);
    const serving = { settings, extensions, ...observation, context, startTimes, isPlain: format === "pretty" };
    try {
      const app = await startUnlessStopped(serving);
      if (app === null) return endCode(context);
      const tookMs = Math.round(performance.now() - startedAtMs);
      startTimes.set("total", Math.round(performance.now()));
      const [code] = await Promise.all([serveUntilStopped(app, serving), announce(app, serving, tookMs)]);
      return code;
    } finally {
      await closeTelemetry();
    }
  },
};

interface Serving extends Omit<Observability, "close"> {
  readonly settings: Settings;
  readonly extensions: readonly LoadedExtension[];
  readonly context: CommandContext;
  readonly startTimes: StartTimes;
  readonly isPlain: boolean;
}

/** Resolves with null when the program has to end before the service has started. */
async function startUnlessStopped({ context, isPlain, ...parts }: Serving): Promise<RunningService | null> {
  const { env: environment, clock, version, signal, stdout } = context;
  const onProgress = (line: string) => {
    if (isPlain) stdout.write(`${line}\n`);
    else parts.observer.note("service.progress", { step: line });
  };
  const options = { ...parts, environment, clock, version, signal, onProgress };
  const { cpus: cores, memoryBytes } = measureMachine();
  const machine = { cores, memoryBytes, platform: process.platform };
  try {
    if (!mayHaveWorkerProcesses(parts.settings.workers, machine)) return await startNode(options);
    const started = Promise.withResolvers<PrimaryService>();
    // Set before the start, because the signal ends a process that does not handle it. The worker processes may have read the old certificate.
    context.onHangUp?.(() => void started.promise.then((service) => service.replaceProcesses()));
    const service = await startPrimary(options);
    started.resolve(service);
    return service;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

async function serveUntilStopped(app: RunningService, { settings, observer, context }: Serving): Promise<number> {
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

function endCode({ signal }: CommandContext): number {
  return signal.reason instanceof CrashReason ? 1 : 0;
}

/** After the tests of detected keys, while the service answers already. */
async function announce(app: RunningService, serving: Serving, tookMs: number): Promise<void> {
  const { observer, context, isPlain, startTimes } = serving;
  const { version, stdout } = context;
  const providers = await app.providers;
  if (isPlain) {
    stdout.write(renderBanner({ ...app, providers, version, tookMs }));
    return;
  }
  const { url, extensions, databaseDir, keysFile } = app;
  const parts = Object.fromEntries(startTimes);
  const curl = buildHealthCommand(app);
  const fields = { url, providers, extensions, curl, databaseDir, operatorFile: keysFile, version, tookMs, parts };
  observer.note("service.started", fields);
}
