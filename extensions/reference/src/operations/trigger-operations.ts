import { describe, record, TEXT, UUID } from "../schemas/schema-parts.ts";
import { ID } from "./example-values.ts";
import { inHeader, type OperationTexts } from "./operation-text.ts";

const ANSWERS = {
  set_secret: record({ trigger_id: UUID }, { secret: describe(TEXT, "one that was made for this call") }),
  replay: record({ call_id: UUID, run_id: UUID, swarm_id: UUID }),
};

export const TRIGGER_OPERATIONS: OperationTexts = {
  "POST /functions/v1/triggers": {
    id: "manageTrigger",
    summary: "Store the secret of a trigger, or start a run with the payload of a call again",
    description:
      "`set_secret` stores the secret with which the sender signs; without one it makes a secret, which is returned this once. `replay` queues a run with the payload of a call. With an API key it has no more rights than the key. The function is that of the extension `triggers`, which is loaded by default.",
    parameters: [
      inHeader(
        "Idempotency-Key",
        "with `replay`: a call with the same key refers to the same run, as long as it is kept",
      ),
    ],
    body: {
      forms: ["Set secret", "Replay"],
      fields: { secret: "as the sender shows it" },
      examples: {
        "make a secret": { action: "set_secret", trigger_id: ID.trigger },
        replay: { action: "replay", call_id: ID.triggerCall },
      },
    },
    answers: {
      200: {
        description: "The trigger, or the new run",
        schema: { anyOf: Object.values(ANSWERS) },
        example: { call_id: ID.triggerCall, run_id: ID.run, swarm_id: ID.swarm },
      },
    },
    answersByAction: ANSWERS,
    errors: [
      "VALIDATION_ERROR",
      "NOT_FOUND",
      "FORBIDDEN",
      "PERMISSION_DENIED",
      "INSUFFICIENT_SCOPE",
      "BUDGET_EXCEEDED",
      "SWARM_BUSY",
      "NO_AGENTS",
    ],
    alsoCounts: ["ai"],
    javascript: `const { data } = await supabase.functions.invoke("triggers", {
  body: { action: "set_secret", trigger_id },
});`,
  },
};
