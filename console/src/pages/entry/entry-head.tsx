import type { ReactNode } from "react";
import { usePageTitle } from "../../components/page-title.ts";

/** The heading of an entry page. */
export function EntryHead({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  usePageTitle(title);
  return (
    <div className="grid gap-1.5">
      <h1 className="text-2xl font-semibold">{title}</h1>
      {children !== undefined && <p className="text-pretty text-ink-soft">{children}</p>}
    </div>
  );
}
