import { pino } from "pino";
import pinoPretty from "pino-pretty";
import { OBSERVATIONS, type Observation, type ObservationLevel, type ObservationName } from "./observations.ts";
import { redactFields } from "./redact.ts";

export interface Observer {
  note<N extends ObservationName>(name: N, fields?: Record<string, unknown>): void;
  child(bindings: Record<string, unknown>): Observer;
}

export interface ObserverOptions {
  readonly level: ObservationLevel;
  readonly format: "json" | "pretty";
  readonly destination?: NodeJS.WritableStream;
}

export function createObserver(options: ObserverOptions): Observer {
  const destination = options.destination ?? process.stdout;
  const logger = pino(
    {
      level: options.level,
      // Process id and host name on every line help nobody who reads one service's log.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors arrive here already made small; pino's own serialiser would add an empty stack to them.
      serializers: { err: (error: unknown) => error },
    },
    options.format === "pretty" ? prettyStream(destination) : destination,
  );
  return wrapLogger(logger, options.level === "debug" || options.level === "trace");
}

function wrapLogger(logger: pino.Logger, alwaysWithStack: boolean): Observer {
  return {
    note(name, fields = {}) {
      const observation: Observation = OBSERVATIONS[name];
      if (!logger.isLevelEnabled(observation.level)) return;
      const withStack = alwaysWithStack || observation.stack === true;
      logger[observation.level]({ ...redactFields(fields, { withStack }), event: name }, observation.message);
    },
    child(bindings) {
      return wrapLogger(logger.child(redactFields(bindings, { withStack: alwaysWithStack })), alwaysWithStack);
    },
  };
}

// In this process and not in a worker thread: a line about a crash must be out before the process is gone.
function prettyStream(destination: NodeJS.WritableStream): NodeJS.WritableStream {
  const isTerminal = "isTTY" in destination && destination.isTTY === true;
  return pinoPretty({
    destination,
    sync: true,
    colorize: isTerminal,
    translateTime: "SYS:HH:MM:ss",
    ignore: "event",
    singleLine: true,
  });
}
