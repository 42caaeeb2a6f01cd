import { CodeBlock } from "../../components/code-block.tsx";
import { renderRequest } from "./render-request.ts";
import type { ToolForm } from "./tool-draft.ts";

/** The request as it will be, while it is being written. */
export function RequestPreview({ form, missing }: { readonly form: ToolForm; readonly missing: readonly string[] }) {
  if (form.url.trim() === "") return null;
  return (
    <div className="grid gap-2">
      <CodeBlock label="What is sent" code={renderRequest(form)} isWrapped />
      {missing.length > 0 && (
        <p className="px-1 text-sm text-thinking">
          No argument is named {missing.map((name) => `{${name}}`).join(", ")}: add it above.
        </p>
      )}
    </div>
  );
}
