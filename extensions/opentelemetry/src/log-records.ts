import { type AnyValue, type AnyValueMap, type LogRecord, SeverityNumber } from "@opentelemetry/api-logs";
import type { LogLine } from "swarmbase/extension";

const SEVERITIES: Readonly<Record<LogLine["level"], SeverityNumber>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** The record of a line. Its fields are attributes; an error gets the names of the conventions for exceptions. */
export function toLogRecord({ level, event, message, fields }: LogLine): LogRecord {
  const { error, ...others } = fields;
  return {
    severityNumber: SEVERITIES[level],
    severityText: level,
    eventName: event,
    body: message,
    attributes: { ...definedOf(others), ...exceptionAttributes(error) },
  };
}

/** Redaction leaves nothing but JSON values, and fields that are not known. */
function definedOf(fields: LogLine["fields"]): AnyValueMap {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as AnyValueMap;
}

function exceptionAttributes(error: unknown): AnyValueMap {
  if (typeof error !== "object" || error === null) return error === undefined ? {} : { error: error as AnyValue };
  const { name, message, stack, ...others } = error as AnyValueMap;
  return {
    ...(name !== undefined && { "exception.type": name }),
    ...(message !== undefined && { "exception.message": message }),
    ...(stack !== undefined && { "exception.stacktrace": stack }),
    ...(Object.keys(others).length > 0 && { error: others }),
  };
}
