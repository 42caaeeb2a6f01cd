import { type ReactNode, useEffect } from "react";

let locks = 0;

/** Replaces the package of this name for Radix: prevents the page behind a dialog from scrolling. */
export function RemoveScroll({
  children,
  enabled = true,
}: {
  readonly children?: ReactNode;
  readonly enabled?: boolean;
}) {
  useEffect(() => {
    if (!enabled) return;
    locks += 1;
    document.body.dataset["scrollLocked"] = "";
    return () => {
      locks -= 1;
      if (locks === 0) delete document.body.dataset["scrollLocked"];
    };
  }, [enabled]);
  return children;
}
