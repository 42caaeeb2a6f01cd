import { useRef, useState } from "react";
import { type Failure, toFailure } from "../../data/failure.ts";
import { useClearOnReconnect } from "../../data/use-clear-on-reconnect.ts";

export interface Entry {
  /** Runs a step and returns whether it succeeded. Does nothing while another one is running. */
  attempt(step: () => Promise<unknown>): Promise<boolean>;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
}

/** The state of a sign-in step: whether it is running, and its failure. */
export function useEntry(): Entry {
  const isRunning = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  useClearOnReconnect(failure, () => setFailure(null));
  return {
    isBusy,
    failure,
    attempt: async (step) => {
      if (isRunning.current) return false;
      isRunning.current = true;
      setBusy(true);
      setFailure(null);
      try {
        await step();
        return true;
      } catch (error) {
        setFailure(await toFailure(error));
        return false;
      } finally {
        isRunning.current = false;
        setBusy(false);
      }
    },
  };
}
