import type { Settings } from "../config/index.ts";
import { createObserver, type Observer } from "../observe/index.ts";
import type { CommandContext } from "./command.ts";

/** For commands that print a result: logs warnings and errors only, to stderr. */
export function createCommandObserver(settings: Settings, { stderr }: CommandContext): Observer {
  const isVerbose = settings.logLevel === "debug" || settings.logLevel === "trace";
  return createObserver({ level: isVerbose ? settings.logLevel : "warn", format: "pretty", destination: stderr });
}
