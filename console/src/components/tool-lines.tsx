import type { LiveToolCall } from "@swarmbase/sdk";
import { ChevronRight, CircleCheck, CircleX, Hourglass, LoaderCircle, Wrench } from "lucide-react";
import { describeWait } from "./describe-waiting.ts";
import { formatCount, formatDuration } from "./formats.ts";
import { JsonView } from "./json-view.tsx";
import { Link } from "./link.tsx";
import { toSentence } from "./to-sentence.ts";

/** With a preview of its output or all of it. */
type ShownTool = Omit<LiveToolCall, "output"> & { readonly output: unknown };

const TOOL_STATUS_LABELS = {
  running: "running",
  pending_approval: "waiting for approval",
  pending_client: "waiting for the app",
  waiting: "waiting",
  succeeded: "done",
  failed: "failed",
  denied: "denied",
  timed_out: "timed out",
  cancelled: "cancelled",
} as const satisfies Record<ShownTool["status"], string>;

interface ToolLineProps {
  readonly tool: ShownTool;
  /** The page of the run, which has more details. */
  readonly runPath?: string;
}

interface ToolLinesProps extends Pick<ToolLineProps, "runPath"> {
  readonly tools: readonly ShownTool[];
}

/** Tool calls in one line, which opens to a line for each. */
export function ToolLines({ tools, runPath }: ToolLinesProps) {
  const lines = tools.map((tool) => <ToolLine key={tool.id} tool={tool} {...(runPath !== undefined && { runPath })} />);
  const shown = tools.find(({ status }) => status !== "succeeded") ?? tools[0];
  if (shown === undefined || tools.length === 1) return lines;
  const names = [...Map.groupBy(tools, ({ name }) => name)];
  return (
    <details className="group/tools min-w-0 rounded-md border border-line bg-surface text-sm">
      <summary className={SUMMARY}>
        <ToolIcon status={shown.status} />
        <span className="shrink-0">{formatCount(tools.length)} tool calls</span>
        <span className="truncate font-mono text-ink-faint">
          {names.map(([name, { length }]) => (length === 1 ? name : `${name} ×${length}`)).join(", ")}
        </span>
        {shown.status !== "succeeded" && <span className="shrink-0">{TOOL_STATUS_LABELS[shown.status]}</span>}
        <ChevronRight className="ml-auto size-4 shrink-0 transition-transform group-open/tools:rotate-90" aria-hidden />
      </summary>
      <div className="grid grid-cols-1 gap-1 p-2 pt-0">{lines}</div>
    </details>
  );
}

const SUMMARY =
  "flex h-9 list-none items-center gap-2 rounded-md px-3 text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden";

/** An expandable line for a tool call. */
function ToolLine({ tool, runPath }: ToolLineProps) {
  const { name, status, durationMs, input, output, error } = tool;
  return (
    <details className="group/tool min-w-0 rounded-md border border-line bg-surface text-sm">
      <summary className={SUMMARY}>
        <ToolIcon status={status} />
        <span className="truncate font-mono">{name}</span>
        <span className="text-ink-faint">
          {status === "waiting" ? `waiting for ${describeWait(tool)}` : TOOL_STATUS_LABELS[status]}
          {durationMs !== null && ` · ${formatDuration(durationMs)}`}
        </span>
        <ChevronRight className="ml-auto size-4 transition-transform group-open/tool:rotate-90" aria-hidden />
      </summary>
      <div className="grid grid-cols-1 gap-2 p-3 pt-1">
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

function ToolIcon({ status }: { readonly status: ShownTool["status"] }) {
  if (status === "running") return <LoaderCircle className="size-4 animate-spin-slow text-responding" aria-hidden />;
  if (status === "succeeded") return <CircleCheck className="size-4 text-good" aria-hidden />;
  if (status === "waiting") return <Hourglass className="size-4 text-thinking" aria-hidden />;
  if (status === "pending_approval" || status === "pending_client")
    return <Wrench className="size-4 text-thinking" aria-hidden />;
  return <CircleX className="size-4 text-bad" aria-hidden />;
}
