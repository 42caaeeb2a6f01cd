import { API_KEY_SCOPES, type ApiKeyResources, type ApiKeyScope } from "@swarmbase/sdk";
import { z } from "zod";
import type { UserPrincipal } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";
import { readIdempotencyKey } from "./read-idempotency-key.ts";

const MAX_RESOURCES = 100;
const ids = z.array(z.guid().transform((id) => id.toLowerCase())).max(MAX_RESOURCES);

const bodySchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("create"),
    name: z
      .string()
      .trim()
      .min(1)
      // Counts characters as the database does.
      .refine((name) => Array.from(name).length <= 100, "must have at most 100 characters")
      .refine((name) => !name.includes("\u0000") && name.isWellFormed(), "must be text without zero bytes"),
    scopes: z.array(z.enum(API_KEY_SCOPES)).min(1).max(API_KEY_SCOPES.length).default(["read"]),
    /** Binds the key to agents and swarms. */
    resources: z
      .strictObject({ agents: ids.default([]), swarms: ids.default([]) })
      .refine(({ agents, swarms }) => agents.length + swarms.length > 0, "must name an agent or a swarm")
      .nullish(),
    /** Absent means in 90 days. Null means never, or as late as the operator permits. */
    expires_at: z.iso.datetime({ offset: true }).nullish(),
  }),
  z.object({ action: z.literal("revoke"), id: z.guid() }),
]);

export const API_KEYS = {
  name: "api-keys",
  access: "account",
  needsProof: true,
  limit: "api",
  body: bodySchema,
} as const satisfies FunctionDescription;

interface ApiKeyChanges {
  create(request: {
    readonly principal: UserPrincipal;
    readonly name: string;
    readonly scopes: readonly ApiKeyScope[];
    readonly resources: ApiKeyResources | null;
    readonly expiresAt: Date | null | undefined;
    readonly idempotencyKey: string | null;
    readonly address: string;
  }): Promise<{ readonly key: string; readonly row: object }>;
  /** `userId` null: the key of any user. */
  revoke(request: { readonly id: string; readonly userId: string | null; readonly address: string }): Promise<void>;
}

/** Creates and revokes the API keys of a user. The table `api_keys` lists them. */
export function createApiKeys(changes: ApiKeyChanges): NamedFunction {
  return defineFunction(API_KEYS, async (call) => {
    const body = parseFunctionBody(bodySchema, call);
    const { principal, address } = call;
    switch (body.action) {
      case "create": {
        if (principal.role !== "authenticated") throw new AppError("FORBIDDEN", "Only users create API keys");
        const { name, scopes, resources = null, expires_at: expiry } = body;
        const expiresAt = typeof expiry === "string" ? new Date(expiry) : expiry;
        const idempotencyKey = readIdempotencyKey(call.headers);
        const request = { principal, name, scopes, resources, expiresAt, idempotencyKey, address };
        const { key, row } = await changes.create(request);
        return { status: 201, body: { key, api_key: row } };
      }
      case "revoke":
        await changes.revoke({ id: body.id, userId: callerIdOf(principal), address });
        return { status: 200, body: { revoked: true } };
    }
  });
}
