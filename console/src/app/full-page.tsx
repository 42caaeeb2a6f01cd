import type { ReactNode } from "react";
import { Logo } from "../components/logo.tsx";
import { usePageTitle } from "../components/page-title.ts";

/** A page with a single message, outside of the shell. */
export function FullPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  usePageTitle(title);
  return (
    <main className="grid min-h-dvh place-items-center p-6">
      <div className="grid max-w-md justify-items-center gap-4 text-center">
        <Logo size={40} />
        <h1 className="text-2xl font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  );
}
