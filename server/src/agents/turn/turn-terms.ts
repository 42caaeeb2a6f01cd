import type { Framework } from "@swarmbase/sdk";
import type { Models } from "../providers/model-port.ts";

/** An agent may speak in so many runs at once; further turns wait. */
export const MAX_CONCURRENT_TURNS = 4;

/** What a turn is noted under whose agent names no model, by framework. */
export function defaultModels(
  models: Pick<Models, "describe">,
  framework: Framework | undefined,
): Readonly<Record<string, string>> {
  if (framework === undefined) return {};
  try {
    return { [framework]: models.describe(framework, null).model };
  } catch {
    // A framework that is not configured fails the turn later, with its reason.
    return {};
  }
}
