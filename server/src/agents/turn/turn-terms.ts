import type { Framework } from "@swarmbase/sdk";
import type { Models } from "../providers/model-port.ts";

/** The number of concurrent turns of one agent. Further turns wait. */
export const MAX_CONCURRENT_TURNS = 4;

/** By framework: the model that is recorded for a turn whose agent names none. */
export function defaultModels(
  models: Pick<Models, "describe">,
  frameworks: readonly Framework[],
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const framework of frameworks) {
    try {
      found[framework] = models.describe(framework, null).model;
    } catch {
      // The turn fails later, with the reason.
    }
  }
  return found;
}
