import { TOOL_CALL_KEYS_PATH, type ToolCallKeys } from "@swarmbase/sdk";
import type { Route } from "../route.ts";

/** `verifyToolCall` of the SDK keeps the keys for the same time. */
const CACHE_CONTROL = "public, max-age=600";

/** The keys with which servers of tools verify for whom they are called. */
export function toolCallRoutes(keySet: ToolCallKeys): Route[] {
  return [
    {
      method: "GET",
      path: TOOL_CALL_KEYS_PATH,
      access: "public",
      limit: "api",
      handler: (_request, reply) => reply.header("cache-control", CACHE_CONTROL).send(keySet),
    },
  ];
}
