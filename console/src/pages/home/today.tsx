import { useMemo } from "react";
import { findDayBudgets, useSettings } from "../../data/account.ts";
import { useUsageDays } from "../../data/usage.ts";
import { BudgetMeter } from "../../components/budget-meter.tsx";
import { formatCompact, formatMoney } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { Panel } from "./panel.tsx";

const DAYS = 14;
const DAY_MS = 86_400_000;

/** Cost and tokens of today, in relation to the budgets and to the days before. */
export function Today() {
  const days = useMemo(() => listDays(Date.now()), []);
  const { rows: usage } = useUsageDays(days[0] ?? "");
  const { rows: settings } = useSettings();
  if (usage === undefined || settings === undefined) return <Skeleton className="h-56 rounded-lg" />;
  const tokensOf = (day: string) =>
    usage.filter((row) => row.day === day).reduce((sum, { input, output }) => sum + input + output, 0);
  const tokens = days.map(tokensOf);
  const today = usage.find(({ day }) => day === days.at(-1));
  const usedTokens = tokens.at(-1) ?? 0;
  const usedCost = today?.cost ?? null;
  const { tokens: tokenBudget, cost: costBudget } = findDayBudgets(settings);
  return (
    <Panel title="Today" id="today" more={{ to: "/usage", label: "Usage" }}>
      <div className="grid gap-4 p-5">
        <dl className="grid grid-cols-2 gap-3">
          <Figure name="Cost" value={usedCost === null ? "–" : formatMoney(usedCost)} />
          <Figure name="Tokens" value={formatCompact(usedTokens)} />
        </dl>
        <div className="grid gap-1">
          <Sparkline
            label={`Tokens of the last ${DAYS} days, by day. Today: ${formatCompact(usedTokens)}.`}
            values={tokens}
          />
          <p className="text-sm text-ink-faint">Tokens by day, {DAYS} days, UTC</p>
        </div>
        {costBudget !== null && (
          <BudgetMeter name="Cost budget" used={usedCost ?? 0} budget={costBudget} format={formatMoney} />
        )}
        {tokenBudget !== null && (
          <BudgetMeter name="Token budget" used={usedTokens} budget={tokenBudget} format={formatCompact} />
        )}
        {costBudget === null && tokenBudget === null && (
          <p className="text-sm text-ink-soft">
            No daily budget. <Link to="/account/budgets">Set a budget</Link>
          </p>
        )}
        <p className="text-sm text-ink-soft">
          Yesterday: <Link to="/runs?time=yesterday&sort=duration">slowest</Link>,{" "}
          <Link to="/runs?time=yesterday&sort=cost">most expensive</Link> and{" "}
          <Link to="/runs?time=yesterday&sort=errors">failed runs</Link>
        </p>
      </div>
    </Panel>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="grid min-w-0 gap-0.5">
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="truncate text-xl font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

/** Days in UTC, as budgets count them; the last one is today. */
function listDays(now: number): readonly string[] {
  return Array.from({ length: DAYS }, (_, index) =>
    new Date(now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}
