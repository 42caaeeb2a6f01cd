import type { LimitName } from "@swarmbase/sdk";
import type { z } from "zod";
import type { AuthEndpoint } from "../../auth/index.ts";
import type { FunctionDescription } from "../../functions/index.ts";
import type { CurlCall } from "./render-curl.ts";

/** A row of the route table, as far as it can be told without running anything. */
export interface DescribedRoute {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly access: CurlCall["access"];
  readonly limits: readonly LimitName[];
  readonly body?: z.ZodType;
}

/** What is served beside accounts and functions, which have tables of their own. */
const OTHER_ROUTES: readonly DescribedRoute[] = [
  { method: "GET", path: "/health", access: "public", limits: [] },
  { method: "GET", path: "/ready", access: "public", limits: [] },
  { method: "GET", path: "/openapi.json", access: "public", limits: [] },
  { method: "GET", path: "/reference", access: "public", limits: [] },
  { method: "GET", path: "/reference/{file}", access: "public", limits: [] },
  { method: "GET", path: "/realtime/v1/websocket", access: "public", limits: [] },
  { method: "POST", path: "/realtime/v1/api/broadcast", access: "apikey", limits: ["api"] },
  { method: "POST", path: "/realtime/v1/api/broadcast/{topic}/events/{event}", access: "apikey", limits: ["api"] },
];

export interface RouteSources {
  readonly auth: readonly AuthEndpoint[];
  readonly functions: readonly FunctionDescription[];
}

export function describeRoutes({ auth, functions }: RouteSources): DescribedRoute[] {
  return [
    ...functions.map(({ name, access, limit, body }) => ({
      method: "POST",
      path: `/functions/v1/${name}`,
      access,
      limits: [...new Set<LimitName>(["api", limit])],
      body,
    })),
    ...auth.map(({ method, path, access, limit, body }) => ({
      method,
      path: `/auth/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`,
      access,
      limits: limit === null ? [] : [limit],
      ...(body !== undefined && { body }),
    })),
    ...OTHER_ROUTES,
  ];
}
