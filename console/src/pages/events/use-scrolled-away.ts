import { useSyncExternalStore } from "react";

/** The scroll position from which the top of the list is not visible. */
const AWAY_PX = 240;

export function useScrolledAway(): boolean {
  return useSyncExternalStore(
    (notify) => {
      addEventListener("scroll", notify, { passive: true });
      return () => removeEventListener("scroll", notify);
    },
    () => scrollY > AWAY_PX,
  );
}
