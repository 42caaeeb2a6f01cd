import { Badge } from "../../components/badge.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Drawer } from "../../components/drawer.tsx";
import { formatDuration, formatMoney, formatTokens } from "../../components/formats.ts";
import { JsonView } from "../../components/json-view.tsx";
import { List } from "../../components/list-page.tsx";
import { useAddress } from "../../components/use-address.ts";
import { useFilters } from "../../components/use-filters.ts";
import { type EvalResult, type EvalRun, RESULT_FILTERS, useEvalResults } from "../../data/eval-runs.ts";
import { describeExpectation, KIND_LABELS } from "./describe-expectation.ts";

const FILTERS = [
  {
    name: "show",
    label: "Outcome",
    choices: [
      { value: "failed", label: "Failed" },
      { value: "regressions", label: "Regressions" },
    ],
  },
];
const OPENED = "result";
const COLUMNS: readonly Column<EvalResult>[] = [
  {
    title: "Outcome",
    width: "8rem",
    narrow: "trailing",
    text: ({ passed }) => (passed ? "passed" : "failed"),
    render: (result) => <OutcomeBadge result={result} />,
  },
  {
    title: "Case",
    text: ({ case_name: name }) => name,
    width: "2fr",
    narrow: "title",
    render: ({ case_name: name }) => <span className="font-medium">{name}</span>,
  },
  { title: "Reason", width: "4fr", render: ({ reason }) => reason ?? "" },
  {
    title: "Score",
    text: ({ score }) => score,
    width: "5rem",
    isNumber: true,
    render: ({ score }) => (score === null ? "" : <Badge>{String(score)}</Badge>),
  },
  {
    title: "Duration",
    width: "6rem",
    isNumber: true,
    render: ({ latency_ms: ms }) => (ms === null ? "" : formatDuration(ms)),
  },
];

export function EvalResultList({ run }: { readonly run: EvalRun }) {
  const filters = useFilters();
  const { address, change } = useAddress();
  const filter = filters.choice("show", RESULT_FILTERS) ?? "all";
  const results = useEvalResults(run, filter);
  const opened = results.rows?.find(({ id }) => id === address.get(OPENED)) ?? null;
  const open = (id: string | null) => change({ [OPENED]: id ?? "" });
  return (
    <>
      <List
        noun="results"
        pages={results}
        filters={filters}
        choices={FILTERS}
        one="result"
        noMatchHint={filter === "failed" ? "No case failed." : "No case failed that passed before."}
        empty="The results appear here as the agent answers."
        picture="events"
        table={{
          columns: COLUMNS,
          onOpen: { label: ({ case_name: name }) => `Open the result of ${name}`, open: ({ id }) => open(id) },
        }}
      />
      {opened !== null && <EvalResultDrawer result={opened} onClose={() => open(null)} />}
    </>
  );
}

interface EvalResultDrawerProps {
  readonly result: EvalResult;
  onClose(): void;
}

function EvalResultDrawer({ result, onClose }: EvalResultDrawerProps) {
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

function OutcomeBadge({ result }: { readonly result: EvalResult }) {
  if (result.passed) return <Badge tone="good">Passed</Badge>;
  return <Badge tone="bad">{result.is_regression ? "Regression" : "Failed"}</Badge>;
}
