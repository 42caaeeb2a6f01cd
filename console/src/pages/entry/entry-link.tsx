import type { ReactNode } from "react";
import { Link } from "react-router";

/** A link between entry pages that keeps the requested page. */
export function EntryLink({
  to,
  state,
  children,
}: {
  readonly to: string;
  readonly state: unknown;
  readonly children: ReactNode;
}) {
  return (
    <Link to={to} state={state} className="font-medium text-accent underline-offset-3 hover:underline">
      {children}
    </Link>
  );
}
