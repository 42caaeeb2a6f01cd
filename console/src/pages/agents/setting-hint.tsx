import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

/** The description of a setting, and a warning if the model does not support its value. */
export function Hint({ text, warning }: { readonly text: ReactNode; readonly warning: string | undefined }) {
  if (warning === undefined) return text;
  return (
    <>
      {text}
      <span className="mt-1 flex items-start gap-1.5 text-thinking">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        {warning}
      </span>
    </>
  );
}
