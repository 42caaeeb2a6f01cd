import { z } from "zod";
import type { GrantAnswer } from "../agents/index.ts";
import { AppError } from "../errors/index.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";

const bodySchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), grant_id: z.guid() }),
  z.object({ action: z.literal("decline"), grant_id: z.guid() }),
]);

export const AGENT_GRANTS = {
  name: "agent-grants",
  access: "account",
  limit: "api",
  body: bodySchema,
} as const satisfies FunctionDescription;

/** Answers a grant that names the caller, which is an offer until it is accepted. */
export function createAgentGrants(
  answer: (given: GrantAnswer) => Promise<{ readonly grant_id: string; readonly agent_id: string }>,
): NamedFunction {
  return defineFunction(AGENT_GRANTS, async (call) => {
    const { action, grant_id: grantId } = parseFunctionBody(bodySchema, call);
    const { userId } = call.principal;
    if (userId === null) throw new AppError("FORBIDDEN", "Only the user whom a grant names can do this");
    const isAccepted = action === "accept";
    const answered = await answer({ grantId, userId, isAccepted });
    return { status: 200, body: { ...answered, ...(isAccepted ? { accepted: true } : { declined: true }) } };
  });
}
