import { useState } from "react";
import { type Failure, toFailure } from "../../data/failure.ts";

export interface Entry {
  /** Runs a step; true when it worked. */
  attempt(step: () => Promise<unknown>): Promise<boolean>;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
}

/** One step of coming in: busy while it runs, and what went wrong when it did. */
export function useEntry(): Entry {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  return {
    isBusy,
    failure,
    attempt: async (step) => {
      setBusy(true);
      setFailure(null);
      try {
        await step();
        return true;
      } catch (error) {
        setFailure(await toFailure(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
