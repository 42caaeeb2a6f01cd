import type { SentMessage } from "@swarmbase/sdk";
import { Badge } from "../../components/badge.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { formatCount } from "../../components/formats.ts";
import { JsonView } from "../../components/json-view.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import type { LoadedPrompt } from "../../data/traces.ts";

const ROLE_LABELS = { user: "User", assistant: "Assistant", tool: "Result of a tool" } as const;

/** What a call sent to the model. */
export function PromptView({ prompt }: { readonly prompt: LoadedPrompt }) {
  if (prompt === undefined) return <Skeleton className="h-40" />;
  if (prompt === null)
    return (
      <p className="text-ink-soft">
        The prompt is not available: only the owner of the agent can see it, and it is removed with the model call.
        Checks of guardrails and calls of earlier versions of the service have none.
      </p>
    );
  const { sent, isExact, terms } = prompt;
  return (
    <div className="grid min-w-0 gap-3">
      <Exactness isExact={isExact} missing={sent.missing.length} />
      <CodeBlock label="System prompt" code={sent.system} isWrapped />
      <ol aria-label="Messages" className="grid min-w-0 gap-2">
        {sent.messages.map((message, place) => (
          <li key={place} className="min-w-0">
            <MessageView message={message} />
          </li>
        ))}
      </ol>
      {sent.tools.length > 0 && (
        <JsonView
          label={`Tools, choice: ${terms.tool_choice}`}
          value={Object.fromEntries(sent.tools.map(({ name, ...tool }) => [name, tool]))}
          depth={1}
        />
      )}
      <JsonView
        label="Settings"
        value={{
          ...terms.settings,
          ...(terms.max_output_tokens !== null && { "max_tokens, by the budget": terms.max_output_tokens }),
        }}
      />
    </div>
  );
}

function Exactness({ isExact, missing }: { readonly isExact: boolean | undefined; readonly missing: number }) {
  if (isExact === undefined) return null;
  if (isExact)
    return (
      <p>
        <Badge tone="good">Exactly what was sent</Badge>
      </p>
    );
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
      <Badge tone="thinking">Not what was sent any more</Badge>
      {missing > 0
        ? `${formatCount(missing)} of the messages ${missing === 1 ? "was" : "were"} deleted since.`
        : "Messages were changed since."}
    </p>
  );
}

function MessageView({ message }: { readonly message: SentMessage }) {
  const { role, text, toolName, isError, imageCount, toolCalls } = message;
  const title = [
    toolName === null ? ROLE_LABELS[role] : `${ROLE_LABELS[role]}: ${toolName}`,
    ...(isError ? ["error"] : []),
    ...(imageCount > 0 ? [`${formatCount(imageCount)} ${imageCount === 1 ? "image" : "images"}`] : []),
  ].join(", ");
  return (
    <div className="grid min-w-0 gap-2">
      {(text !== "" || toolCalls.length === 0) && <CodeBlock label={title} code={text} isWrapped />}
      {toolCalls.map(({ id, name, input }) => (
        <CodeBlock key={id} label={`Assistant calls ${name}`} code={input} isWrapped />
      ))}
    </div>
  );
}
