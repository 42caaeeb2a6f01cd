import { record, UUID } from "../schemas/schema-parts.ts";
import { ID } from "./example-values.ts";
import { inHeader, type OperationTexts } from "./operation-text.ts";

export const SCHEDULE_OPERATIONS: OperationTexts = {
  "POST /functions/v1/schedules": {
    id: "runSchedule",
    summary: "Start a run of a schedule at once",
    description:
      "The run is queued, as at a time of the schedule, which keeps its times. With an API key it has no more rights than the key. The function is that of the extension `schedules`, which is loaded by default.",
    parameters: [inHeader("Idempotency-Key", "a call with the same key refers to the same run, as long as it is kept")],
    body: { examples: { "run now": { action: "run_now", schedule_id: ID.schedule } } },
    answers: {
      200: {
        description: "The run",
        schema: record({ run_id: UUID, swarm_id: UUID }),
        example: { run_id: ID.run, swarm_id: ID.swarm },
      },
    },
    errors: [
      "VALIDATION_ERROR",
      "NOT_FOUND",
      "FORBIDDEN",
      "PERMISSION_DENIED",
      "BUDGET_EXCEEDED",
      "SWARM_BUSY",
      "NO_AGENTS",
    ],
    alsoCounts: ["ai"],
    javascript: `const { data } = await supabase.functions.invoke("schedules", {
  body: { action: "run_now", schedule_id },
});`,
  },
};
