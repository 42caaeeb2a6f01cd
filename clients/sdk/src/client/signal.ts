import type { Run } from "../function-types/run-answers.ts";
import type { AgentRespondSignalBody } from "../function-types/run-bodies.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { type CallOptions, invokeFunction } from "./invoke-function.ts";

/**
 * Sends a signal to a run: it ends the oldest wait for an event of this name (`pending_waits` of the run), or is kept for the next one. With the
 * header `Idempotency-Key`, sending it again has no further effect. Returns the run.
 */
export function signal(
  client: FunctionsClient,
  body: Omit<AgentRespondSignalBody, "action">,
  options: CallOptions = {},
): Promise<Run> {
  return invokeFunction(client, "agent-respond", { ...body, action: "signal" }, options);
}
