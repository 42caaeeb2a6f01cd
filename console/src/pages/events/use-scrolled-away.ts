import { useSyncExternalStore } from "react";

/** From here on the top of the list is out of sight. */
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
