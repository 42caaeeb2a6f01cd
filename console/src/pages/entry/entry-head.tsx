import { type ReactNode, useEffect } from "react";

/** The heading of an entry page. */
export function EntryHead({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Swarmbase`;
  }, [title]);
  return (
    <div className="grid gap-1.5">
      <h1 className="text-2xl font-semibold">{title}</h1>
      {children !== undefined && <p className="text-pretty text-ink-soft">{children}</p>}
    </div>
  );
}
