import { AppError, type ExtensionContext, type ToolCall, ToolFailure } from "swarmbase/extension";
import {
  type AgentSchedule,
  deleteOwn,
  insertForAgent,
  isHidden,
  makeRoom,
  type Maker,
} from "../sql/agent-schedules.ts";
import { changeSchedule, lockSchedule } from "../sql/schedule-row.ts";
import { findCronFault, findNext, findTimeFault, findTimeZoneFault } from "../timing/due-times.ts";
import { timingOf, withTime } from "../worker/change-of.ts";

type Ports = Pick<ExtensionContext, "database" | "now" | "newId" | "requireKeyScope">;

/** Without an offset it would be a time of the zone of this node. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;
const MAX_PER_AGENT = 10;
const NAME_CHARS = 100;
const MAX_MESSAGE_CHARS = 32_000;
const MAX_CRON_CHARS = 200;
const MAX_ZONE_CHARS = 64;

/** The schedule belongs to the starter of the run, and sends its messages to the conversation of the run. */
export async function schedule(call: ToolCall, context: Ports): Promise<string> {
  const { database, now, newId } = context;
  const maker = await openMaker(call, context);
  const timing = readTiming(call.input, now());
  const message = readText(call.input, "message", MAX_MESSAGE_CHARS);
  if (message === null) throw new AppError("VALIDATION_ERROR", "message is required");
  const id = newId();
  return database.asService(async (query) => {
    if (await isHidden(query, maker.swarmId))
      throw new ToolFailure("TOOL_UNUSABLE", "This conversation is not stored, so nothing can be sent to it later.");
    if (!(await makeRoom(query, maker, MAX_PER_AGENT)))
      throw new ToolFailure("TOOL_FAILED", `You have ${MAX_PER_AGENT} schedules for this person: end one first.`);
    const name = message.replaceAll(/\s+/g, " ").trim().slice(0, NAME_CHARS) || "Schedule";
    await insertForAgent(query, maker, { id, name, message, ...timing });
    const row = await lockSchedule(query, id, true);
    if (row === null) throw new Error("the new schedule is gone");
    const planned = withTime(row, findNext(timingOf(row), row.now) ?? timing.runAt);
    await changeSchedule(query, id, planned);
    return JSON.stringify({ schedule_id: id, next_run_at: planned.next_run_at });
  });
}

/** One that this agent has made for this person in this conversation. */
export async function unschedule(call: ToolCall, context: Ports): Promise<string> {
  const maker = await openMaker(call, context);
  const id = readText(call.input, "schedule_id", MAX_ZONE_CHARS) ?? "";
  if (!(await context.database.asService((query) => deleteOwn(query, maker, id))))
    throw new ToolFailure("TOOL_FAILED", "You have no schedule with this id here.");
  return JSON.stringify({ schedule_id: id, ended: true });
}

/** An API key needs what it needs to write schedules. */
async function openMaker({ starter, swarmId }: ToolCall, { requireKeyScope }: Ports): Promise<Maker> {
  const { principal, call } = await starter.open();
  if (call === null || swarmId === null)
    throw new ToolFailure("TOOL_UNUSABLE", "Schedules can only be made in a conversation.");
  requireKeyScope(principal, ["run", "write", "share"]);
  const { userId, scopes = null, session } = principal;
  const apiKeyId = scopes === null ? null : (session?.sessionId ?? null);
  return { userId, agentId: call.agentId, swarmId, apiKeyId, scopes };
}

function readTiming(input: ToolCall["input"], now: Date): Pick<AgentSchedule, "cron" | "timeZone" | "runAt"> {
  const cron = readText(input, "cron", MAX_CRON_CHARS);
  const timeZone = readText(input, "time_zone", MAX_ZONE_CHARS) ?? "UTC";
  const time = readText(input, "run_at", MAX_ZONE_CHARS);
  const runAt = time === null ? null : new Date(time);
  const faults = [
    (cron === null) === (time === null) ? "cron or run_at must be given, and not both" : null,
    cron === null ? null : nameFault("cron", findCronFault(cron)),
    nameFault("time_zone", findTimeZoneFault(timeZone)),
    time === null || TIME.test(time) ? null : "run_at must be a time with its offset, such as 2026-03-01T09:00:00Z",
    time === null ? null : nameFault("run_at", findTimeFault(time)),
    runAt === null || runAt > now ? null : "run_at must be a time that is not over",
  ];
  const fault = faults.find((found) => found !== null);
  if (fault !== undefined) throw new AppError("VALIDATION_ERROR", String(fault));
  return { cron, timeZone, runAt };
}

/** The owner of the tool may have given it another schema. */
function readText(input: ToolCall["input"], name: string, maxChars: number): string | null {
  const value = input[name] ?? null;
  if (value === null || (typeof value === "string" && value !== "" && value.length <= maxChars)) return value;
  throw new AppError("VALIDATION_ERROR", `${name} must be a text of 1 to ${maxChars} characters`);
}

function nameFault(name: string, fault: string | null): string | null {
  return fault === null ? null : `${name} ${fault}`;
}
