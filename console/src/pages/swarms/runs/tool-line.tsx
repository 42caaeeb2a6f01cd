import { ChevronRight, CircleCheck, CircleX, Hourglass, LoaderCircle, Wrench } from "lucide-react";
import type { LiveTool } from "../../../data/live-run.ts";
import { describeWait } from "../../../components/describe-waiting.ts";
import { formatDuration } from "../../../components/formats.ts";
import { JsonView } from "../../../components/json-view.tsx";
import { Link } from "../../../components/link.tsx";
import { toSentence } from "../to-sentence.ts";
import { TOOL_STATUS_LABELS } from "./tool-status-labels.ts";

export interface ToolLineProps {
  readonly tool: LiveTool;
  /** The page of the run, which has more details. */
  readonly runPath?: string;
}

/** An expandable line for a tool call. */
export function ToolLine({ tool, runPath }: ToolLineProps) {
  const { name, status, durationMs, input, output, error } = tool;
  return (
    <details className="group/tool rounded-md border border-line bg-surface text-sm">
      <summary className="flex h-9 list-none items-center gap-2 rounded-md px-3 text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ToolIcon status={status} />
        <span className="truncate font-mono">{name}</span>
        <span className="text-ink-faint">
          {status === "waiting" ? `waiting for ${describeWait(tool)}` : TOOL_STATUS_LABELS[status]}
          {durationMs !== null && ` · ${formatDuration(durationMs)}`}
        </span>
        <ChevronRight className="ml-auto size-4 transition-transform group-open/tool:rotate-90" aria-hidden />
      </summary>
      <div className="grid gap-2 p-3 pt-1">
        {input === undefined &&
          output === undefined &&
          (runPath === undefined ? (
            <p className="text-ink-faint">
              Only the owner of the agent and the managers of the swarm can see input and output.
            </p>
          ) : (
            <p>
              <Link to={runPath}>See input and output in the run</Link>
            </p>
          ))}
        {input !== undefined && <JsonView label="Input" value={input} />}
        {output !== undefined && <JsonView label="Output" value={output} />}
        {error !== null && <p className="text-bad">{toSentence(error.message)}</p>}
      </div>
    </details>
  );
}

function ToolIcon({ status }: { readonly status: LiveTool["status"] }) {
  if (status === "running") return <LoaderCircle className="size-4 animate-spin-slow text-responding" aria-hidden />;
  if (status === "succeeded") return <CircleCheck className="size-4 text-good" aria-hidden />;
  if (status === "waiting") return <Hourglass className="size-4 text-thinking" aria-hidden />;
  if (status === "pending_approval" || status === "pending_client")
    return <Wrench className="size-4 text-thinking" aria-hidden />;
  return <CircleX className="size-4 text-bad" aria-hidden />;
}
