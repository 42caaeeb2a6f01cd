import { z } from "zod";
import { AppError } from "../errors/index.ts";
import type { Principal } from "../db/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { invalidBodyError, parseFunctionBody } from "./parse-function-body.ts";

const bodySchema = z.object({
  action: z.enum(["regenerate_secret", "delete_secret"]),
  /** Required with the service role, which has no secret. */
  user_id: z.guid().optional(),
});

interface SecretChange {
  readonly userId: string;
  /** Null for the service role. */
  readonly sessionId: string | null;
  readonly address: string;
}

interface SigningSecrets {
  /** Returns the new secret. */
  regenerate(change: SecretChange): Promise<string>;
  remove(change: SecretChange): Promise<void>;
}

export const REQUEST_SIGNING = {
  name: "request-signing",
  access: "account",
  needsProof: true,
  limit: "api",
  isForFirstSecret: true,
  body: bodySchema,
} as const satisfies FunctionDescription;

/** Creates or removes the secret with which a user signs requests. */
export function createRequestSigning(secrets: SigningSecrets): NamedFunction {
  return defineFunction(REQUEST_SIGNING, async (call) => {
    const { action, user_id: namedId } = parseFunctionBody(bodySchema, call);
    const { principal, address } = call;
    const change = {
      userId: chooseUser(principal, namedId),
      sessionId: principal.session?.sessionId ?? null,
      address,
    };
    switch (action) {
      case "regenerate_secret":
        return { status: 200, body: { new_secret: await secrets.regenerate(change) } };
      case "delete_secret":
        await secrets.remove(change);
        return { status: 200, body: { deleted: true } };
    }
  });
}

function chooseUser(principal: Principal, namedId: string | undefined): string {
  const callerId = callerIdOf(principal);
  if (callerId === null) {
    if (namedId !== undefined) return namedId;
    throw invalidBodyError({ user_id: "is required with the service role" });
  }
  if (namedId === undefined || namedId.toLowerCase() === callerId) return callerId;
  throw new AppError("FORBIDDEN", "You cannot change the secret of another user");
}
