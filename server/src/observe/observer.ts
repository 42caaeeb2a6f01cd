import { pino } from "pino";
import pinoPretty from "pino-pretty";
import type { Meter } from "./meter.ts";
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
  /** Counts and measures what is noted, whatever the log level. */
  readonly meter?: Meter | null;
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
  const alwaysWithStack = options.level === "debug" || options.level === "trace";
  return wrapLogger(logger, { alwaysWithStack, meter: options.meter ?? null });
}

interface NoteOptions {
  readonly alwaysWithStack: boolean;
  readonly meter: Meter | null;
}

function wrapLogger(logger: pino.Logger, options: NoteOptions): Observer {
  const { alwaysWithStack, meter } = options;
  return {
    note(name, fields = {}) {
      meter?.record(name, fields);
      const observation: Observation = OBSERVATIONS[name];
      if (!logger.isLevelEnabled(observation.level)) return;
      const withStack = alwaysWithStack || observation.stack === true;
      logger[observation.level]({ ...redactFields(fields, { withStack }), event: name }, observation.message);
    },
    child(bindings) {
      return wrapLogger(logger.child(redactFields(bindings, { withStack: alwaysWithStack })), options);
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
