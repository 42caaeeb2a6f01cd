import type { JsonObject } from "@swarmbase/sdk";
import type { EvalPorts } from "@swarmbase/sdk/evals";
import { memberOf } from "../model/json.ts";
import type { Session } from "../service/connect.ts";

const LAST_WORD_MS = 5_000;

/** Stores the rows of a run, and asks agents, as the owner. */
export function openPorts({ client, owner, isService }: Session): Omit<EvalPorts, "now" | "onResult"> {
  const user = { user_id: owner.id };
  return {
    client,
    signal: client.signal,
    userId: isService ? owner.id : undefined,
    pause: (seconds) => client.pause(seconds),
    insertRun: async (row) => {
      const [created] = (await client.call("POST", "/rest/v1/eval_runs", { ...row, ...user })) as unknown as readonly {
        readonly id: string;
      }[];
      return created?.id ?? "";
    },
    insertResult: async (runId, row) => {
      await client.call("POST", "/rest/v1/eval_results", { ...row, ...user, eval_run_id: runId });
    },
    endRun: async (runId, change) => {
      const path = `/rest/v1/eval_runs?id=eq.${runId}`;
      const isEnding = change.status !== "completed";
      const sender = isEnding ? client.until(AbortSignal.timeout(LAST_WORD_MS)) : client;
      await sender.call("PATCH", path, { ...change } satisfies JsonObject);
    },
    findAnswerFault: async (schema, text) => {
      const body = { schema, text } as JsonObject;
      const fault = memberOf(await client.call("POST", "/functions/v1/check-answer", body), "fault");
      return typeof fault === "string" ? fault : null;
    },
  };
}
