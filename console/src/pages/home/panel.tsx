import type { ReactNode } from "react";
import { Link } from "../../components/link.tsx";

interface PanelProps {
  readonly title: string;
  readonly id: string;
  /** The page with more of the same. */
  readonly more?: { readonly to: string; readonly label: string };
  readonly children: ReactNode;
}

/** A part of the dashboard. */
export function Panel({ title, id, more, children }: PanelProps) {
  return (
    <section aria-labelledby={id} className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface shadow-1">
      <div className="flex items-baseline justify-between gap-3 border-b border-line px-5 py-3.5">
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {more !== undefined && (
          <Link to={more.to} className="shrink-0">
            {more.label}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}
