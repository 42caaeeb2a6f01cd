import type { Output } from "../plan/plan.ts";
import { outputNames } from "../plan/plan-outputs.ts";
import { restError } from "../rest-error.ts";

/** The keys of a node's rows, in order. Throws when they are unknown. */
export function listOutputNames(outputs: readonly Output[]): readonly string[] {
  return outputNames(outputs, () => {
    throw unknownColumnsError();
  });
}

export function unknownColumnsError(): Error {
  return restError("PGRST127", "Feature not implemented", {
    details:
      "The columns of these rows are not known, so they can be neither grouped nor spread as a whole. Name them.",
  });
}
