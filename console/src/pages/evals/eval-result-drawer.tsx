import type { EvalResult } from "../../data/eval-runs.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Drawer } from "../../components/drawer.tsx";
import { formatDuration, formatMoney, formatTokens } from "../../components/formats.ts";
import { JsonView } from "../../components/json-view.tsx";
import { describeExpectation, KIND_LABELS } from "./describe-expectation.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";

export interface EvalResultDrawerProps {
  readonly result: EvalResult;
  onClose(): void;
}

export function EvalResultDrawer({ result, onClose }: EvalResultDrawerProps) {
  const { expectation, reason, output, score } = result;
  return (
    <Drawer isOpen onClose={onClose} title={result.case_name} size="large">
      <div className="grid grid-cols-1 gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <OutcomeBadge result={result} />
          <span className="text-sm text-ink-faint">{describeCost(result)}</span>
        </div>
        {reason !== null && (
          <p className="wrap-anywhere">
            {reason}
            {score !== null && <span className="text-ink-soft"> (score {score})</span>}
          </p>
        )}
        <CodeBlock label="Input" code={result.input} isWrapped />
        {expectation.kind === "schema" ? (
          <JsonView label={`Expectation: ${KIND_LABELS.schema}`} value={expectation.schema} />
        ) : (
          <CodeBlock
            label={`Expectation: ${KIND_LABELS[expectation.kind]}`}
            code={describeExpectation(expectation)}
            isWrapped
          />
        )}
        {output === null || output === "" ? (
          <p className="text-ink-soft">The agent gave no answer.</p>
        ) : (
          <CodeBlock label="Output" code={output} isWrapped />
        )}
      </div>
    </Drawer>
  );
}

function describeCost({
  latency_ms: ms,
  input_tokens: read,
  output_tokens: written,
  cost_usd: cost,
}: EvalResult): string {
  return [
    ms === null ? null : formatDuration(ms),
    read === null || written === null ? null : formatTokens(read + written),
    cost === null ? null : formatMoney(cost),
  ]
    .filter((part) => part !== null)
    .join(" · ");
}
