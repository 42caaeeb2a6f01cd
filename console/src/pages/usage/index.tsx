import { useMemo } from "react";
import { findDayBudgets, useSettings } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import { USAGE_SPLITS, type UsageReport, type UsageSplit, useUsage } from "../../data/usage.ts";
import { type NamedUsage, readNamedUsage } from "../../data/usage-names.ts";
import { useAddress } from "../../components/use-address.ts";
import { Card } from "../../components/card.tsx";
import { columnsOf } from "../../components/csv.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportButton } from "../../components/list-filters.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { ShowCode } from "../../components/show-code.tsx";
import { Toolbar } from "../../components/toolbar.tsx";
import { Customers } from "./customers.tsx";
import { addUp, MEASURES, type Measure } from "./measure.ts";
import { listDays, RANGES, type Range } from "./range.ts";
import { SPLIT_LABELS } from "./split-labels.ts";
import { TodayBudget } from "./today-budget.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { writeUsageCode } from "./usage-code.ts";
import { UsageShares } from "./usage-shares.tsx";
import { UsageSkeleton } from "./usage-skeleton.tsx";
import { UsageTotals } from "./usage-totals.tsx";

const EXPORTED = columnsOf<NamedUsage>(
  "day",
  "agent_id",
  "agent",
  "swarm_id",
  "swarm",
  "framework",
  "model",
  "turns",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_usd",
);

export function UsagePage() {
  const { id } = useUser();
  const { address: params, change } = useAddress();
  const range = RANGES.find((one) => one === params.get("days")) ?? "30";
  const split = USAGE_SPLITS.find((one) => one === params.get("by")) ?? "agent";
  const measure = MEASURES.find((one) => one === params.get("measure")) ?? "tokens";
  const choose = (name: string, value: string) => change({ [name]: value });
  const days = useMemo(() => listDays(range, Date.now()), [range]);
  const since = days[0] ?? "";
  const { report, ...read } = useUsage({ since, split });
  return (
    <>
      <PageHeader
        title="Usage"
        description="Tokens and cost of the agents in your swarms."
        actions={
          <>
            <ShowCode title="Usage by day" {...writeUsageCode({ since, split, payerId: id })} />
            <ExportButton noun="usage" columns={EXPORTED} readAll={() => readNamedUsage(id, since)} />
          </>
        }
      />
      <Toolbar label="Filter the usage">
        <SegmentedControl<Range>
          label="Days"
          value={range}
          onChange={(value) => choose("days", value)}
          choices={RANGES.map((value) => ({ value, label: `${value} days` }))}
        />
        <SegmentedControl<UsageSplit>
          label="By"
          value={split}
          onChange={(value) => choose("by", value)}
          choices={USAGE_SPLITS.map((value) => ({ value, label: `${SPLIT_LABELS[value]}s` }))}
        />
        <SegmentedControl<Measure>
          label="Measure"
          value={measure}
          onChange={(value) => choose("measure", value)}
          choices={[
            { value: "tokens", label: "Tokens" },
            { value: "cost", label: "Cost" },
          ]}
        />
      </Toolbar>
      {report === undefined ? (
        <NotLoaded title="Usage could not be loaded" read={read} skeleton={<UsageSkeleton />} />
      ) : report.days.length === 0 ? (
        <NothingUsed range={range} />
      ) : (
        <Report report={report} days={days} split={split} measure={measure} />
      )}
      <Customers />
    </>
  );
}

interface ReportProps {
  readonly report: UsageReport;
  readonly days: readonly string[];
  readonly split: UsageSplit;
  readonly measure: Measure;
}

function Report({ report, days, split, measure }: ReportProps) {
  const { rows: settings } = useSettings();
  const budgets = settings === undefined ? { tokens: null, cost: null } : findDayBudgets(settings);
  const today = addUp(report.days.filter(({ day }) => day === days.at(-1)));
  return (
    <div className="grid grid-cols-1 gap-4">
      <UsageTotals total={addUp(report.days)} today={today} days={days.length} />
      <Card className="sm:p-5">
        <UsageChart report={report} days={days} split={split} measure={measure} budget={budgets[measure]} />
      </Card>
      {settings !== undefined && <TodayBudget budgets={budgets} today={today} />}
      <UsageShares report={report} split={split} measure={measure} />
    </div>
  );
}

function NothingUsed({ range }: { readonly range: Range }) {
  return (
    <EmptyState
      picture="usage"
      title={`No usage in the last ${range} days`}
      action={
        <ButtonLink to="/swarms" variant="primary">
          Go to the swarms
        </ButtonLink>
      }
    >
      Each reply of an agent counts input and output tokens. Ask something in a swarm, and the usage appears here within
      seconds, by agent, swarm and model.
    </EmptyState>
  );
}
