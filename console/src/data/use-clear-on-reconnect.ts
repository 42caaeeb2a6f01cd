import { useEffect, useRef } from "react";
import { useConnection } from "./connection.ts";
import { type Failure, UNREACHABLE } from "./failure.ts";

/** Clears the failure of a request that did not reach the service as soon as the service can be reached again. */
export function useClearOnReconnect(failure: Failure | null, clear: () => void): void {
  const { isReachable } = useConnection();
  const wasLost = useRef(false);
  useEffect(() => {
    if (isReachable && wasLost.current && failure?.message === UNREACHABLE) clear();
    wasLost.current = !isReachable;
  }, [isReachable, failure, clear]);
}
