import { actsForAsker } from "@swarmbase/sdk";
import { Play } from "lucide-react";
import { useState } from "react";
import { type TestOutcome, useTestTool } from "../../data/tool-calls.ts";
import type { Tool } from "../../data/tools.ts";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { formatDuration } from "../../components/formats.ts";
import { isSchema } from "../../components/json-schema.ts";
import { JsonView } from "../../components/json-view.tsx";
import { type FormValue, SchemaForm } from "../../components/schema-form.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

/** Calls the tool once and shows the result. */
export function TestTool({ tool }: { readonly tool: Tool }) {
  const [input, setInput] = useState<FormValue>({});
  const [outcome, setOutcome] = useState<TestOutcome | null>(null);
  const test = useTestTool();
  const call = async () => setOutcome(await test.run({ toolId: tool.id, input }));
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <CardSection
        title="Input"
        description={
          tool.kind === "builtin"
            ? "Calls the tool as an agent would, outside of any swarm."
            : `This makes a real call${actsForAsker(tool) ? " in your name" : ""}.`
        }
      >
        <form
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            void call();
          }}
        >
          <SchemaForm schema={isSchema(tool.input_schema) ? tool.input_schema : {}} value={input} onChange={setInput} />
          <Button type="submit" variant="primary" icon={<Play />} isBusy={test.isBusy} className="justify-self-start">
            Run test
          </Button>
        </form>
      </CardSection>
      <CardSection title="Result">
        {test.isBusy ? (
          <Skeleton className="h-40" />
        ) : test.failure !== null ? (
          <Banner tone="bad">{test.failure.message}</Banner>
        ) : outcome === null ? (
          <p className="text-ink-soft">Shows the result as the model receives it.</p>
        ) : (
          <Outcome outcome={outcome} />
        )}
      </CardSection>
    </div>
  );
}

function Outcome({ outcome }: { readonly outcome: TestOutcome }) {
  const { success, error, output, attempts, duration_ms: ms, truncated } = outcome;
  return (
    <div role="status" className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-faint tabular-nums">
        <Badge tone={success ? "good" : "bad"}>{success ? "Succeeded" : "Failed"}</Badge>
        <span>{formatDuration(ms)}</span>
        {attempts > 1 && <span>{attempts} attempts</span>}
        {truncated === true && <Badge tone="thinking">Truncated</Badge>}
      </div>
      {error !== undefined && (
        <div className="grid gap-0.5 rounded-md bg-bad-soft px-3.5 py-2.5 text-bad">
          <p className="break-words">{error.message}</p>
          <p className="font-mono text-xs">{error.code}</p>
        </div>
      )}
      {output !== undefined && <Output value={output} />}
    </div>
  );
}

/** Shows JSON text as a tree. */
function Output({ value }: { readonly value: unknown }) {
  if (typeof value !== "string") return <JsonView label="Output" value={value} />;
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === "object" && parsed !== null) return <JsonView label="Output" value={parsed} />;
  } catch {
    // Not JSON.
  }
  return <CodeBlock label="Output" code={value} isWrapped />;
}
