import { type ReactNode, useId } from "react";

interface PanelSectionProps {
  readonly title: string;
  readonly count: number | string | undefined;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export function PanelSection({ title, count, action, children }: PanelSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid min-w-0 gap-2">
      <div className="flex h-7 items-center justify-between gap-2">
        <h2 id={id} className="text-sm font-semibold">
          {title} {count !== undefined && <span className="font-normal text-ink-faint tabular-nums">{count}</span>}
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}
