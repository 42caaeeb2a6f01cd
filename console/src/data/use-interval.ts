import { useEffect } from "react";

/** Calls a function periodically while the page is visible, to poll data that realtime does not publish. */
export function useInterval(ms: number, run: () => void, isOn = true): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") run();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, run, isOn]);
}
