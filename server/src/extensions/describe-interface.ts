import { type LimitName, TOOL_CALL_KEYS_PATH } from "@swarmbase/sdk";
import * as z from "zod";
import { AUTH_ERRORS, type AuthErrorCode, authEndpoints, endpointPath } from "../auth/index.ts";
import { FUNCTION_TABLE } from "../functions/index.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** One route of the core. */
export interface DescribedRoute {
  readonly method: string;
  /** Parameters in braces: `/auth/v1/factors/{id}`. */
  readonly path: string;
  readonly access: "public" | "apikey" | "bearer" | "account" | "user" | "service";
  /** Rows of the rate limits that a call counts for. */
  readonly limits: readonly LimitName[];
  /** The schema that the core checks the body with. */
  readonly body?: JsonSchema;
}

/** The interface of the core as data, without the tables: `GET /rest/v1/` describes those. */
export interface InterfaceDescription {
  readonly routes: readonly DescribedRoute[];
  readonly authErrors: Readonly<Record<AuthErrorCode, { readonly status: number; readonly message: string }>>;
}

/** Routes that are neither accounts nor functions, which have tables of their own. A test compares them with the route table. */
const OTHER_ROUTES: readonly DescribedRoute[] = [
  { method: "GET", path: "/health", access: "public", limits: [] },
  { method: "GET", path: "/ready", access: "public", limits: [] },
  { method: "GET", path: TOOL_CALL_KEYS_PATH, access: "public", limits: ["api"] },
  { method: "GET", path: "/.well-known/oauth-protected-resource", access: "public", limits: ["api"] },
  { method: "GET", path: "/realtime/v1/websocket", access: "public", limits: [] },
  { method: "POST", path: "/realtime/v1/api/broadcast", access: "apikey", limits: ["api"] },
  { method: "POST", path: "/realtime/v1/api/broadcast/{topic}/events/{event}", access: "apikey", limits: ["api"] },
];

let described: InterfaceDescription | null = null;

/** Built on the first call, because converting all body schemas takes longer than a start should wait. */
export function describeInterface(): InterfaceDescription {
  described ??= { routes: describeRoutes(), authErrors: AUTH_ERRORS };
  return described;
}

function describeRoutes(): readonly DescribedRoute[] {
  return [
    ...FUNCTION_TABLE.map(({ name, access, limit, body }) => ({
      method: "POST",
      path: `/functions/v1/${name}`,
      access,
      limits: [...new Set<LimitName>(["api", limit])],
      body: toJsonSchema(body),
    })),
    ...authEndpoints.map(({ method, access, limit, body, ...place }) => ({
      method,
      path: endpointPath(place).replaceAll(/:(\w+)/g, "{$1}"),
      access,
      limits: limit === null ? [] : [limit],
      ...(body !== undefined && { body: toJsonSchema(body) }),
    })),
    ...OTHER_ROUTES,
  ];
}

function toJsonSchema(body: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: "input", unrepresentable: "any" });
  return schema;
}
