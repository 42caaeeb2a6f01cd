import { useMemo } from "react";
import { findDayBudgets, useSettings } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import {
  USAGE_SPLITS,
  type UsageQuery,
  type UsageReport,
  type UsageSplit,
  type UsageSums,
  useUsage,
} from "../../data/usage.ts";
import { type NamedUsage, readNamedUsage } from "../../data/usage-names.ts";
import { useAddress } from "../../components/use-address.ts";
import { Card } from "../../components/card.tsx";
import { columnsOf } from "../../components/csv.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportButton } from "../../components/list-filters.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { ButtonLink, Link } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { ShowCode } from "../../components/show-code.tsx";
import { Toolbar } from "../../components/toolbar.tsx";
import { Customers } from "./customers.tsx";
import { ListSkeleton, Skeleton } from "../../components/skeleton.tsx";
import { writeCurl } from "../../components/write-snippets.ts";
import { BudgetMeter } from "../../components/budget-meter.tsx";
import { formatCompact, formatCount, formatMoney, formatPercent } from "../../components/formats.ts";
import { Stat } from "../../components/stat.tsx";
import { addUp, MEASURES, type Measure } from "./measure.ts";
import { listDays, RANGES, type Range } from "./range.ts";
import { SPLIT_LABELS } from "./split-labels.ts";
import { UsageChart } from "./usage-chart.tsx";
import { UsageShares } from "./usage-shares.tsx";

const CENT = 0.01;
const COLUMNS: Readonly<Record<UsageSplit, string>> = { agent: "agent_id", swarm: "swarm_id", model: "model" };
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
          Go to swarms
        </ButtonLink>
      }
    >
      Each reply of an agent counts input and output tokens. Ask something in a swarm, and the usage appears here within
      seconds, by agent, swarm and model.
    </EmptyState>
  );
}

function UsageSkeleton() {
  return (
    <div className="grid gap-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-[6.4rem] rounded-lg" />
        ))}
      </div>
      <Skeleton className="h-[22rem] rounded-lg" />
      <ListSkeleton rows={4} />
    </div>
  );
}

/** Snippets with the query of the chart. */
function writeUsageCode({ since, split, payerId }: UsageQuery & { readonly payerId: string }): {
  readonly curl: string;
  readonly supabaseJs: string;
} {
  const columns = `day,${COLUMNS[split]},input_tokens.sum(),output_tokens.sum(),cost_usd.sum()`;
  return {
    curl: writeCurl({
      path: `/rest/v1/usage_daily?select=${columns}&payer_id=eq.${payerId}&day=gte.${since}&order=day`,
    }),
    supabaseJs: `const { data, error } = await supabase
  .from("usage_daily")
  .select("${columns.replaceAll(",", ", ")}")
  .eq("payer_id", "${payerId}")
  .gte("day", "${since}")
  .order("day");`,
  };
}

interface Budgets {
  readonly tokens: number | null;
  readonly cost: number | null;
}

/** The usage of today relative to the budgets, or a link to set a budget. */
function TodayBudget({ budgets, today }: { readonly budgets: Budgets; readonly today: UsageSums }) {
  const { tokens, cost } = budgets;
  if (tokens === null && cost === null)
    return (
      <p className="text-sm text-ink-faint">
        Days are in UTC. You have no daily budget, so usage is not limited.{" "}
        <Link to="/account/budgets">Set a budget</Link>
      </p>
    );
  return (
    <Card className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      {tokens !== null && (
        <BudgetMeter name="Tokens today" used={today.input + today.output} budget={tokens} format={formatCompact} />
      )}
      {cost !== null && <BudgetMeter name="Cost today" used={today.cost ?? 0} budget={cost} format={formatMoney} />}
      <p className="text-sm text-ink-faint sm:col-span-2">
        A day begins at midnight UTC. <Link to="/account/budgets">Change the budgets</Link>
      </p>
    </Card>
  );
}

interface UsageTotalsProps {
  readonly total: UsageSums;
  readonly today: UsageSums;
  readonly days: number;
}

/** Rounds to cents, except amounts below one cent. */
function roundCents(dollars: number): number {
  return dollars < CENT ? dollars : Math.round(dollars / CENT) * CENT;
}

function UsageTotals({ total, today, days }: UsageTotalsProps) {
  const { turns, input, cached, output, cost } = total;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label="Cost"
        value={cost === null ? "unknown" : formatMoney(cost)}
        note={cost === null ? "the models have no price" : `${formatMoney(roundCents(cost / days))} a day`}
      />
      <Stat
        label="Tokens read"
        value={formatCompact(input)}
        note={cached === 0 ? "by the models" : `${formatPercent(cached / input)} from cache`}
      />
      <Stat label="Tokens written" value={formatCompact(output)} note="by the models" />
      <Stat label="Turns" value={formatCount(turns)} note={`${formatCount(today.turns)} today`} />
    </div>
  );
}
