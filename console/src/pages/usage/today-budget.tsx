import type { UsageSums } from "../../data/usage.ts";
import { BudgetMeter } from "../../components/budget-meter.tsx";
import { Card } from "../../components/card.tsx";
import { formatCompact, formatMoney } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";

export interface Budgets {
  readonly tokens: number | null;
  readonly cost: number | null;
}

/** The usage of today relative to the budgets, or a link to set a budget. */
export function TodayBudget({ budgets, today }: { readonly budgets: Budgets; readonly today: UsageSums }) {
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
