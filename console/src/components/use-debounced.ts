import { useEffect, useState } from "react";

const PAUSE_MS = 250;

/** Returns the value after it has not changed for a moment, so that typing does not send a request per letter. */
export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
