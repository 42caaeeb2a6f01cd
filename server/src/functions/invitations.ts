import { z } from "zod";
import type { UserPrincipal } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";

const secret = z.string().min(1).max(200);

const bodySchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("create_link"), invitation_id: z.guid() }),
  z.object({ action: z.literal("find"), secret }),
  z.object({ action: z.literal("accept"), secret }),
  z.object({ action: z.literal("decline"), secret }),
]);

export const INVITATIONS = {
  name: "invitations",
  access: "account",
  limit: "api",
  body: bodySchema,
} as const satisfies FunctionDescription;

interface SecretCall {
  readonly principal: UserPrincipal;
  readonly secret: string;
}

interface InvitationCalls {
  /** `callerId` null: the service role. */
  createLink(request: { readonly invitationId: string; readonly callerId: string | null }): Promise<object>;
  find(request: SecretCall): Promise<object>;
  answer(request: SecretCall & { readonly isAccepted: boolean }): Promise<{ readonly swarm_id: string }>;
  /** Called when an answer may have written events. */
  onEvents(): void;
}

/** Creates links for invitations by e-mail address, and answers an invitation with the secret of its link. */
export function createInvitations(calls: InvitationCalls): NamedFunction {
  return defineFunction(INVITATIONS, async (call) => {
    const body = parseFunctionBody(bodySchema, call);
    const { principal } = call;
    if (body.action === "create_link") {
      const request = { invitationId: body.invitation_id, callerId: callerIdOf(principal) };
      return { status: 200, body: await calls.createLink(request), headers: { "cache-control": "no-store" } };
    }
    if (principal.role !== "authenticated") throw new AppError("FORBIDDEN", "Only the invited user can do this");
    const presented = { principal, secret: body.secret };
    if (body.action === "find") return { status: 200, body: { invitation: await calls.find(presented) } };
    const isAccepted = body.action === "accept";
    const { swarm_id } = await calls.answer({ ...presented, isAccepted });
    calls.onEvents();
    return { status: 200, body: isAccepted ? { accepted: true, swarm_id } : { declined: true, swarm_id } };
  });
}
