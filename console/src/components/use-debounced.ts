import { useEffect, useState } from "react";

const PAUSE_MS = 250;

/** A value that changes while somebody types, once they pause: so that not every letter is a question. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
