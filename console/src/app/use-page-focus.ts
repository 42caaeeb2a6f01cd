import { useEffect, useRef } from "react";
import { useLocation } from "react-router";

/** Moves the focus to a newly opened page, so that screen readers announce it. Not on the first load. */
export function usePageFocus(): void {
  const { pathname } = useLocation();
  const page = pathname.split("/")[1] ?? "";
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    // The user may have opened a dialog since, and be typing in it.
    const dialog = document.activeElement?.closest("[role=dialog]") ?? null;
    if (dialog !== null) return;
    document.getElementById("page")?.focus({ preventScroll: true });
  }, [page]);
}
