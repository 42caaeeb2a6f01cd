import { FlaskConical } from "lucide-react";
import type { ReactNode } from "react";
import type { ToolCall } from "../../data/runs.ts";
import { openPrompt } from "../../data/prompt-opening.ts";
import { useUser } from "../../data/session.ts";
import type { ModelCall, Trace, TraceTurn } from "../../data/traces.ts";
import { usePrompt } from "../../data/traces.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Drawer } from "../../components/drawer.tsx";
import { type Fact, Facts } from "../../components/facts.tsx";
import { formatDuration, formatExact } from "../../components/formats.ts";
import { JsonView } from "../../components/json-view.tsx";
import { ButtonLink, Link } from "../../components/link.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { listPassedOn } from "../../components/passed-on.ts";
import { type Span, sortCalls } from "./lay-out-trace.ts";
import { usageFigures } from "./part-figures.tsx";
import { PromptView } from "./prompt-view.tsx";

interface PartDrawerProps {
  readonly span: Span | null;
  /** The runs of sub-tasks that the user may see. */
  readonly others: readonly Trace[];
  onClose(): void;
}

/** Everything about one bar of the waterfall. */
export function PartDrawer({ span, others, onClose }: PartDrawerProps) {
  return (
    <Drawer isOpen={span !== null} onClose={onClose} title={span === null ? "" : titleOf(span)} size="large">
      {span !== null && <Part span={span} others={others} />}
    </Drawer>
  );
}

function titleOf({ kind, name }: Span): string {
  switch (kind) {
    case "queue":
      return "Queue";
    case "turn":
      return `Turn of ${name}`;
    case "selection":
      return "Selection of the next speaker";
    case "model":
      return `Model call: ${name}`;
    case "tool":
      return `Tool call: ${name}`;
    case "approval":
      return `Approval of ${name}`;
  }
}

function Part({ span, others }: Pick<PartDrawerProps, "others"> & { readonly span: Span }) {
  const { part, trace } = span;
  if (part === null)
    return (
      <p className="text-ink-soft">
        The run waited {formatDuration(span.tookMs)} until its first turn began. Runs of one swarm are executed one
        after the other.
      </p>
    );
  if ("agent_name" in part) return <TurnDetails span={span} trace={trace} turn={part} />;
  if ("tool_name" in part) return <ToolDetails call={part} span={span} others={others} />;
  return <CallDetails key={part.id} span={span} trace={trace} call={part} />;
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="mt-5 grid min-w-0 gap-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function ErrorText({ error }: { readonly error: ModelCall["error"] }) {
  if (error === null) return null;
  return (
    <p role="alert" className="mt-4 text-bad wrap-anywhere">
      {error.code}: {error.message}
    </p>
  );
}

/** The version of the agent, with the page that shows it. */
function versionOf({ agent_id: id, agent_version: version }: TraceTurn): Fact {
  if (version === null) return ["Version of the agent", null];
  return ["Version of the agent", id === null ? version : <Link to={`/agents/${id}/history`}>{String(version)}</Link>];
}

interface OfSpan {
  readonly span: Span;
  readonly trace: Trace;
}

function TurnDetails({ span, trace, turn }: OfSpan & { readonly turn: TraceTurn }) {
  const answer = trace.answers.find(({ id }) => id === turn.message_id);
  const warnings = turn.warnings.flatMap(({ message }) => (typeof message === "string" ? [message] : []));
  return (
    <>
      <Facts
        rows={[
          ["Model", turn.model],
          versionOf(turn),
          ["Started", turn.started_at === null ? null : formatExact(turn.started_at)],
          ...usageFigures(turn, span),
          ["Ended because of", turn.finish_reason],
        ]}
      />
      {listPassedOn(turn).map(({ title, text }) => (
        <Section key={title} title={title}>
          {text}
        </Section>
      ))}
      <ErrorText error={turn.error} />
      {warnings.length > 0 && (
        <Section title="Warnings">
          <ul className="list-inside list-disc text-thinking">
            {warnings.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
      )}
      {answer !== undefined && (
        <Section title="Answer">
          <Markdown text={answer.content ?? "*deleted*"} />
        </Section>
      )}
    </>
  );
}

function CallDetails({ span, trace, call }: OfSpan & { readonly call: ModelCall }) {
  const turn = trace.turns.find(({ id }) => id === call.turn_id);
  const calls = turn === undefined ? [call] : sortCalls(turn.model_calls);
  const place = calls.findIndex(({ id }) => id === call.id);
  const prompt = usePrompt(trace.swarm_id, calls.slice(0, place + 1));
  return (
    <>
      <Facts
        rows={[
          ["Provider", call.framework],
          ["Attempt", call.attempt],
          ...(turn === undefined ? [] : [["Agent", turn.agent_name] as const, versionOf(turn)]),
          ["Started", formatExact(call.started_at)],
          ["HTTP status", statusOf(call)],
          ...usageFigures(call, span),
          ["Ended because of", call.finish_reason],
        ]}
      />
      <ErrorText error={call.error} />
      <Section title="Prompt">
        {prompt && turn !== undefined && call.agent_id !== null && (
          <p>
            <ButtonLink
              to="/playground"
              size="small"
              icon={<FlaskConical />}
              state={{ opened: openPrompt(call, turn.agent_version, prompt) }}
            >
              Open in playground
            </ButtonLink>
          </p>
        )}
        <PromptView prompt={prompt} />
      </Section>
      {turn !== undefined && call.status === "succeeded" && (
        <CallAnswer trace={trace} turn={turn} call={call} next={calls.slice(place + 1)} />
      )}
    </>
  );
}

/** The service has the exact status of failures alone: an answer is always one of success. */
function statusOf({ status, error }: ModelCall): string | null {
  if (status === "failed") return error?.provider_status?.toString() ?? "none, the provider did not respond";
  return status === "succeeded" ? "2xx" : null;
}

interface CallAnswerProps {
  readonly trace: Trace;
  readonly turn: TraceTurn;
  readonly call: ModelCall;
  readonly next: readonly ModelCall[];
}

/** Only the last call of a turn wrote its message; those before called tools. */
function CallAnswer({ trace, turn, call, next }: CallAnswerProps) {
  const answer = trace.answers.find(({ id }) => id === turn.message_id);
  const endMs = Date.parse(call.finished_at);
  const nextMs = Math.min(...next.map(({ started_at: at }) => Date.parse(at)), Number.POSITIVE_INFINITY);
  const tools = turn.tool_executions.filter(
    ({ created_at: at }) => Date.parse(at) >= endMs - CLOCK_SKEW_MS && Date.parse(at) < nextMs,
  );
  if (next.length === 0 && answer !== undefined)
    return (
      <Section title="Answer">
        <Markdown text={answer.content ?? "*deleted*"} />
      </Section>
    );
  if (call.finish_reason !== "tool_calls" || tools.length === 0) return null;
  return (
    <Section title="Answer">
      {tools.map((tool) => (
        <CodeBlock
          key={tool.id}
          label={`Calls ${tool.tool_name}`}
          code={JSON.stringify(tool.tool_execution_payloads?.input ?? null, null, 2)}
          isWrapped
        />
      ))}
    </Section>
  );
}

/** The calls are timed by the clock of a node, the tools by that of the database. */
const CLOCK_SKEW_MS = 100;

interface ToolDetailsProps extends Pick<PartDrawerProps, "others"> {
  readonly call: ToolCall;
  readonly span: Span;
}

function ToolDetails({ call, span, others }: ToolDetailsProps) {
  const user = useUser();
  const { tool_execution_payloads: payloads, decided_by: decidedBy } = call;
  return (
    <>
      <Facts
        rows={[
          ["Status", span.kind === "approval" ? span.note : call.status],
          ["Decided by", decidedBy === null ? null : decidedBy === user.id ? "you" : "another member"],
          ["Asked", formatExact(call.created_at)],
          [span.kind === "approval" ? "Waited" : "Duration", formatDuration(span.tookMs)],
          ["Attempts", call.attempts],
        ]}
      />
      <ErrorText error={call.error} />
      {others.some(({ id }) => id === call.sub_run_id) && (
        <p className="mt-4">
          <Link to={`/runs/${call.sub_run_id}`}>Open the sub-task</Link>
        </p>
      )}
      <Section title="Input and output">
        {payloads === null ? (
          <p className="text-ink-soft">
            Only the owner of the agent and the managers of the swarm can see input and output.
          </p>
        ) : (
          <>
            <JsonView label="Input" value={payloads.input} />
            {payloads.output !== null && <JsonView label="Output" value={payloads.output} />}
          </>
        )}
      </Section>
    </>
  );
}
