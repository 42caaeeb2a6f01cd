import { ListChecks, RotateCw } from "lucide-react";
import { useState } from "react";
import { answerOf, type Exchange, isUnderWay } from "../../../data/playground-state.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { formatCount, formatDuration, formatMoney } from "../../../components/formats.ts";
import { StatusDot } from "../../../components/status-dot.tsx";
import { AgentMessage, UserMessage } from "../try-messages.tsx";
import { AddEvalCase } from "./add-eval-case.tsx";

export interface ExchangeViewProps {
  readonly exchange: Exchange;
  readonly isFirst: boolean;
  readonly canAskAgain: boolean;
  onAskAgain(): void;
}

/** A question and its answer, with what the answer took. */
export function ExchangeView({ exchange, isFirst, canAskAgain, onAskAgain }: ExchangeViewProps) {
  const [isAdding, setAdding] = useState(false);
  const { question, run, failure } = exchange;
  const answer = answerOf(exchange);
  const faults = [...(failure === null ? [] : [failure]), ...(run?.errors ?? []).map(({ message }) => message)];
  const turns = run?.turns ?? [];
  const hasEnded = !isUnderWay(exchange);
  return (
    <li className="grid min-w-0 grid-cols-1 gap-4">
      <UserMessage text={question} />
      {turns.map((turn, place) => (
        <AgentMessage
          key={turn.id}
          // The column may have another agent since.
          agent={{ id: turn.agentId ?? "", name: turn.agentName }}
          swarmId={null}
          text={turn.text}
          runId={run?.id ?? null}
          turn={turn}
          figures={place === turns.length - 1 && <Figures exchange={exchange} />}
        />
      ))}
      {turns.length === 0 && !hasEnded && (
        <p role="status" className="flex items-center gap-2 text-ink-soft">
          <StatusDot status="thinking" />
          {run?.status === "queued" ? "Waiting in the queue …" : "Asking …"}
        </p>
      )}
      {faults.map((fault) => (
        <Banner key={fault} tone="bad">
          {fault}
        </Banner>
      ))}
      {hasEnded && (
        <div className="flex flex-wrap gap-2">
          {answer !== "" && (
            <Button size="small" icon={<ListChecks />} onClick={() => setAdding(true)}>
              Add as eval case …
            </Button>
          )}
          {canAskAgain && (
            <Button size="small" icon={<RotateCw />} onClick={onAskAgain}>
              Ask again
            </Button>
          )}
        </div>
      )}
      {isAdding && (
        <AddEvalCase question={question} answer={answer} isFirst={isFirst} onClose={() => setAdding(false)} />
      )}
    </li>
  );
}

function Figures({ exchange: { run, firstTokenMs, durationMs } }: { readonly exchange: Exchange }) {
  const usage = run?.usage ?? null;
  const figures = [
    { label: "First token", value: firstTokenMs === null ? null : formatDuration(firstTokenMs) },
    { label: "Total", value: durationMs === null ? null : formatDuration(durationMs) },
    {
      label: "Tokens",
      value: usage === null ? null : `${formatCount(usage.input_tokens)} in, ${formatCount(usage.output_tokens)} out`,
    },
    { label: "Cost", value: usage === null || usage.cost_usd === null ? null : formatMoney(usage.cost_usd) },
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-3 gap-y-1.5 rounded-md bg-sunken px-3 py-2 text-sm tabular-nums">
      {figures.map(({ label, value }) => (
        <div key={label} className="min-w-0">
          <dt className="text-xs text-ink-faint">{label}</dt>
          <dd className="wrap-anywhere">{value ?? "–"}</dd>
        </div>
      ))}
    </dl>
  );
}
