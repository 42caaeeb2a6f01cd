import { createRequire } from "node:module";
import { pino } from "pino";
import type PinoPretty from "pino-pretty";
import type { Meter } from "./meter.ts";
import { type Observation, type ObservationLevel, type ObservationName, OBSERVATIONS } from "./observations.ts";
import { redactFields } from "./redact.ts";

const LINES_IN_WINDOW = 5;

const WINDOW_MS = 10_000;

const ACCESS_LEVEL = "info";
const require = createRequire(import.meta.url);

export interface Observer {
  note<N extends ObservationName>(name: N, fields?: Record<string, unknown>): void;
  child(bindings: Record<string, unknown>): Observer;
}

/** A line of the log as it is written: secrets are removed from its fields. */
export interface LogLine {
  readonly level: ObservationLevel;
  readonly event: ObservationName;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ObserverOptions {
  readonly level: ObservationLevel;
  readonly format: "json" | "pretty";
  readonly destination?: NodeJS.WritableStream;
  /** Receives all observations, whatever the log level. */
  readonly meter?: Meter | null;
  /** Receives each line beside the destination. Must not throw. */
  readonly onLine?: ((line: LogLine) => void) | undefined;
  /** Receives the user of each request that has ended, whatever the log level. Must not throw. */
  readonly onRequest?: ((userId: string | null) => void) | undefined;
  /** Logs every request, whatever the log level, without sampling. */
  readonly hasAccessLog?: boolean;
  /** Length of the window in which sampled lines are counted. */
  readonly sampleWindowMs?: number;
}

export function createObserver(options: ObserverOptions): Observer {
  const destination = options.destination ?? process.stdout;
  const logger = pino(
    {
      level: options.level,
      // Process id and host name on every line are of no use in the log of one service.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are plain objects here already; the serialiser of pino would add an empty stack to them.
      serializers: { err: (error: unknown) => error },
    },
    options.format === "pretty" ? prettyStream(destination) : destination,
  );
  const alwaysWithStack = options.level === "debug" || options.level === "trace";
  const { meter = null, hasAccessLog = false, sampleWindowMs, onLine, onRequest } = options;
  const sampler = createSampler(sampleWindowMs === undefined ? {} : { windowMs: sampleWindowMs });
  return wrapLogger(logger, { alwaysWithStack, meter, hasAccessLog, sampler, onLine, onRequest, bindings: {} });
}

interface NoteOptions {
  readonly alwaysWithStack: boolean;
  readonly meter: Meter | null;
  readonly hasAccessLog: boolean;
  readonly sampler: Sampler;
  readonly onLine: ObserverOptions["onLine"];
  readonly onRequest: ObserverOptions["onRequest"];
  /** Redacted fields of every line. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

function wrapLogger(logger: pino.Logger, options: NoteOptions): Observer {
  const { alwaysWithStack, meter, hasAccessLog, sampler, onLine, onRequest, bindings: ownBindings } = options;
  // Has a level of its own, so that it also logs below the level of the log.
  const accessLogger = hasAccessLog ? logger.child({}, { level: ACCESS_LEVEL }) : null;
  const write = (
    to: pino.Logger,
    level: ObservationLevel,
    name: ObservationName,
    fields: Record<string, unknown>,
  ): void => {
    const { message, stack }: Observation = OBSERVATIONS[name];
    const withStack = alwaysWithStack || stack === true;
    const redacted = redactFields(fields, { withStack });
    to[level]({ ...redacted, event: name }, message);
    onLine?.({ level, event: name, message, fields: { ...ownBindings, ...redacted } });
  };
  return {
    note(name, fields = {}) {
      meter?.record(name, fields);
      if (onRequest !== undefined && isRequest(name)) onRequest(userOf(fields));
      const { level, sampled }: Observation = OBSERVATIONS[name];
      if (accessLogger !== null && isRequest(name)) {
        write(accessLogger, accessLogger.isLevelEnabled(level) ? level : ACCESS_LEVEL, name, fields);
        return;
      }
      if (!logger.isLevelEnabled(level)) return;
      const noteLeftOut = ({ count, windowMs }: LeftOut): void =>
        write(logger, level, name, { leftOut: count, windowMs });
      if (sampled !== true || sampler.admits(name, noteLeftOut)) write(logger, level, name, fields);
    },
    child(bindings) {
      const redacted = redactFields(bindings, { withStack: alwaysWithStack });
      return wrapLogger(logger.child(redacted), { ...options, bindings: { ...ownBindings, ...redacted } });
    },
  };
}

function userOf({ userId }: Readonly<Record<string, unknown>>): string | null {
  return typeof userId === "string" ? userId : null;
}

function isRequest(name: ObservationName): boolean {
  return name.startsWith("request.");
}

// In this process and not in a worker thread: the line about a crash must be written before the process ends.
function prettyStream(destination: NodeJS.WritableStream): NodeJS.WritableStream {
  const isTerminal = "isTTY" in destination && destination.isTTY === true;
  // Loaded here, because a log in JSON does not need it.
  const pinoPretty = require("pino-pretty") as typeof PinoPretty;
  return pinoPretty({
    destination,
    sync: true,
    colorize: isTerminal,
    translateTime: "SYS:HH:MM:ss",
    ignore: "event",
    singleLine: true,
  });
}

interface LeftOut {
  readonly count: number;
  readonly windowMs: number;
}

interface Sampler {
  /** Whether the line may be logged. The number of omitted lines is logged once, when the window ends. */
  admits(name: string, onLeftOut: (leftOut: LeftOut) => void): boolean;
}

interface Window {
  lines: number;
  leftOut: number;
}

/** A fault that affects every request must not fill the disk with equal lines. */
function createSampler({ windowMs = WINDOW_MS }: { readonly windowMs?: number } = {}): Sampler {
  const windows = new Map<string, Window>();
  const open = (name: string, onLeftOut: (leftOut: LeftOut) => void): Window => {
    const window: Window = { lines: 0, leftOut: 0 };
    windows.set(name, window);
    setTimeout(() => {
      windows.delete(name);
      if (window.leftOut > 0) onLeftOut({ count: window.leftOut, windowMs });
    }, windowMs).unref();
    return window;
  };
  return {
    admits(name, onLeftOut) {
      const window = windows.get(name) ?? open(name, onLeftOut);
      if (window.lines < LINES_IN_WINDOW) {
        window.lines += 1;
        return true;
      }
      window.leftOut += 1;
      return false;
    },
  };
}
