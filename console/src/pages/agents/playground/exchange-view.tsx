import { ListChecks, RotateCw } from "lucide-react";
import { useState } from "react";
import { answerOf, type Exchange, isUnderWay } from "../../../data/playground-state.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { formatCount, formatDuration, formatMoney, formatUsage } from "../../../components/formats.ts";
import { TextDifference } from "../../../components/text-difference.tsx";
import { StatusDot } from "../../../components/status-dot.tsx";
import { AgentMessage, UserMessage } from "../try-messages.tsx";
import { AddEvalCase } from "./add-eval-case.tsx";

interface ExchangeViewProps {
  readonly exchange: Exchange;
  readonly isFirst: boolean;
  /** The answer of column A to the same question, from which the differences are shown. */
  readonly before?: string | undefined;
  readonly canAskAgain: boolean;
  onAskAgain(): void;
}

/** A question and its answer, with what the answer took. */
export function ExchangeView({ exchange, isFirst, before, canAskAgain, onAskAgain }: ExchangeViewProps) {
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
          comparison={
            before === undefined || !hasEnded ? undefined : (
              <TextDifference
                label="Differences from A"
                before={place === 0 ? before : ""}
                after={turn.text}
                isByWord
              />
            )
          }
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

/** The answers together: how many, time, tokens, cost. A price that is unknown leaves the cost out. */
export function Totals({ label, exchanges }: { readonly label: string; readonly exchanges: readonly Exchange[] }) {
  const ended = exchanges.filter((exchange) => !isUnderWay(exchange));
  if (ended.length === 0) return null;
  const sum = (read: (exchange: Exchange) => number | null | undefined): number =>
    ended.reduce((total, exchange) => total + (read(exchange) ?? 0), 0);
  const tokens = {
    input_tokens: sum(({ run }) => run?.usage?.input_tokens),
    cached_input_tokens: sum(({ run }) => run?.usage?.cached_input_tokens),
    output_tokens: sum(({ run }) => run?.usage?.output_tokens),
  };
  const isPriced = ended.every(({ run }) => run?.usage?.cost_usd !== null);
  return (
    <p aria-label={label} role="group" className="text-sm text-ink-soft tabular-nums">
      {label}: {formatCount(ended.length)} {ended.length === 1 ? "answer" : "answers"} ·{" "}
      {formatDuration(sum(({ durationMs }) => durationMs))} · {formatUsage(tokens)}
      {isPriced && ` · ${formatMoney(sum(({ run }) => run?.usage?.cost_usd))}`}
    </p>
  );
}

function Figures({ exchange: { run, firstTokenMs, durationMs } }: { readonly exchange: Exchange }) {
  const usage = run?.usage ?? null;
  const figures = [
    { label: "First token", value: firstTokenMs === null ? null : formatDuration(firstTokenMs) },
    { label: "Total", value: durationMs === null ? null : formatDuration(durationMs) },
    { label: "Tokens", value: usage === null ? null : formatUsage(usage) },
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
