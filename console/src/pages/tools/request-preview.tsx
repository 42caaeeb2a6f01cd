import { CodeBlock } from "../../components/code-block.tsx";
import { renderRequest } from "./render-request.ts";
import type { ToolForm } from "./tool-draft.ts";

/** A preview of the request. */
export function RequestPreview({ form, missing }: { readonly form: ToolForm; readonly missing: readonly string[] }) {
  if (form.url.trim() === "") return null;
  return (
    <div className="grid gap-2">
      <CodeBlock label="Request" code={renderRequest(form)} isWrapped />
      {missing.length > 0 && (
        <p className="px-1 text-sm text-thinking">
          No argument is named {missing.map((name) => `{${name}}`).join(", ")}. Add it above.
        </p>
      )}
    </div>
  );
}
