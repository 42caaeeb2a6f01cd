import type { Settings } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";
import { type CommandContext, CrashReason } from "./command.ts";

export function chooseFormat(settings: Settings): "json" | "pretty" {
  if (settings.logFormat !== "auto") return settings.logFormat;
  return settings.nodeEnv === "production" ? "json" : "pretty";
}

export function onAbort({ signal }: CommandContext, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
}

/** Logs a crash at once, because stopping may take long, or never end. */
export function reportCrash(context: CommandContext, observer: Observer): void {
  onAbort(context, () => {
    const { reason } = context.signal as { readonly reason: unknown };
    if (reason instanceof CrashReason) observer.note("service.crashed", { error: reason.cause });
  });
}
