import type { ReactNode } from "react";

/** What a list of options shows if it has none. A list must contain an option, which screen readers then announce. */
export function EmptyOption({ children, className }: { readonly children: ReactNode; readonly className: string }) {
  return (
    <div role="option" aria-disabled aria-selected={false} tabIndex={-1} className={className}>
      {children}
    </div>
  );
}
