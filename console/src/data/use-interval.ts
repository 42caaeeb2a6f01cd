import { useEffect } from "react";

/** Does something again and again while the page is looked at; for what nobody tells us by itself. */
export function useEvery(ms: number, run: () => void, isOn = true): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") run();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, run, isOn]);
}
