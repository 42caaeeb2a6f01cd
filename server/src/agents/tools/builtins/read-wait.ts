import type { JsonRecord } from "../../../json/index.ts";
import { invalidInput } from "../invalid-input.ts";
import type { ToolWait } from "../tool-port.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
/** The database has the same bound. */
const MAX_WAIT_MS = 366 * 86_400_000;

/** What a call waits for. The input satisfies the schema of its tool. */
export function readWait(input: JsonRecord, kind: ToolWait["kind"], now: Date): ToolWait {
  const { until, seconds, name, from } = input;
  if ((until === undefined) === (seconds === undefined)) throw invalidInput("Give either until or seconds.");
  const end = typeof until === "string" ? { until: readTime(until, now) } : { seconds: Number(seconds) };
  if (kind === "time") return { kind, ...end };
  return { kind, name: String(name), from: from === "members" ? "members" : "starter", ...end };
}

function readTime(text: string, now: Date): string {
  const timeMs = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) throw invalidInput("The time must be like 2026-11-20T09:00:00+01:00, with its offset.");
  if (timeMs <= now.getTime()) throw invalidInput(`The time is over: it is ${now.toISOString()} now.`);
  if (timeMs > now.getTime() + MAX_WAIT_MS) throw invalidInput("The time is more than 366 days from now.");
  return new Date(timeMs).toISOString();
}
