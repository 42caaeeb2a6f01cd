import type { ReactNode } from "react";
import { Illustration, type IllustrationName } from "./illustration.tsx";

interface EmptyStateProps {
  readonly picture: IllustrationName;
  readonly title: string;
  /** What the rows are and what they are used for. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ picture, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-4 rounded-lg border border-dashed border-line-strong bg-surface px-6 py-12 text-center">
      <Illustration name={picture} />
      <div className="grid max-w-md gap-1.5">
        <h2 className="text-lg font-semibold">{title}</h2>
        <div className="text-base text-pretty text-ink-soft">{children}</div>
      </div>
      {action !== undefined && <div className="flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
