import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";

export interface FoldProps {
  readonly title: string;
  readonly description: string;
  /** Opens the section, because a field inside has an error. */
  readonly isOpenBy: boolean;
  readonly children: ReactNode;
}

/** A collapsed section for rarely changed settings. */
export function Fold({ title, description, isOpenBy, children }: FoldProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpenBy && details.current !== null) details.current.open = true;
  }, [isOpenBy]);
  return (
    <details ref={details} className="group/fold rounded-lg border border-line bg-surface shadow-1">
      <summary className="flex list-none items-center gap-3 rounded-lg px-4 py-3.5 hover:bg-hover sm:px-5 [&::-webkit-details-marker]:hidden">
        <span className="grid flex-1 gap-0.5">
          <span className="text-lg font-semibold">{title}</span>
          <span className="text-ink-soft">{description}</span>
        </span>
        <ChevronRight className="size-4.5 text-ink-faint transition-transform group-open/fold:rotate-90" aria-hidden />
      </summary>
      <div className="p-4 pt-2 sm:p-5 sm:pt-2">{children}</div>
    </details>
  );
}
