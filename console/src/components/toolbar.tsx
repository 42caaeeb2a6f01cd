import type { ReactNode } from "react";

/** Search, filters and counts above a list. Wraps on a narrow screen. */
export function Toolbar({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div role="group" aria-label={label} className="mb-4 flex flex-wrap items-center gap-2">
      {children}
    </div>
  );
}
