import {
  type ExtensionContext,
  type PlainToolKind,
  type ToolCall,
  lazy,
  type ToolDescription,
} from "swarmbase/extension";

const ACTIONS: readonly unknown[] = ["schedule", "unschedule"];

const SCHEDULE: ToolDescription = {
  description:
    "Sends you a message in this conversation later, once (run_at) or again and again (cron). Returns the id of the schedule.",
  inputSchema: {
    type: "object",
    properties: {
      message: { type: "string", minLength: 1, maxLength: 4000, description: "What you are to do then, in full." },
      cron: { type: "string", description: "Minute, hour, day of the month, month, day of the week: 0 9 * * 1-5" },
      time_zone: { type: "string", description: "Of cron, such as Europe/Berlin. Default: UTC" },
      run_at: {
        type: "string",
        format: "date-time",
        description: "Instead of cron: 2026-03-01T09:00:00Z or 2026-03-01T09:00:00+01:00",
      },
    },
    required: ["message"],
    additionalProperties: false,
  },
};

const UNSCHEDULE: ToolDescription = {
  description: "Ends a schedule that you have made in this conversation.",
  inputSchema: {
    type: "object",
    properties: { schedule_id: { type: "string", format: "uuid" } },
    required: ["schedule_id"],
    additionalProperties: false,
  },
};

const run = lazy(async () => {
  const { schedule, unschedule } = await import("./schedule-call.ts");
  return (call: ToolCall, context: ExtensionContext) =>
    call.config["action"] === "unschedule" ? unschedule(call, context) : schedule(call, context);
});

/** The tools `schedule` and `unschedule` of agents, by `action` of their configuration. */
export const SCHEDULE_KIND: PlainToolKind = {
  name: "schedule",
  findConfigFaults: ({ action, ...others }) => [
    ...(ACTIONS.includes(action) ? [] : [{ path: "action", message: "must be schedule or unschedule" }]),
    ...Object.keys(others).map((path) => ({ path, message: "is not known" })),
  ],
  run,
  describe: ({ action }) => (action === "unschedule" ? UNSCHEDULE : SCHEDULE),
};
