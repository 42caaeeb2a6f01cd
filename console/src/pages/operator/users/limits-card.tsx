import { type FormEvent, useState } from "react";
import { type ImposedLimits, type UserLimits, useImposeLimits } from "../../../data/operator-users.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Facts } from "../../../components/facts.tsx";
import { Field } from "../../../components/field.tsx";
import { formatCount, formatMoney } from "../../../components/formats.ts";
import { Link } from "../../../components/link.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";

interface LimitsCardProps {
  readonly userId: string;
  readonly limits: UserLimits;
}

interface Figure {
  readonly imposed: keyof ImposedLimits;
  /** The budget of the user. */
  readonly own: keyof UserLimits | null;
  readonly today: keyof UserLimits;
  readonly month: keyof UserLimits;
  readonly label: string;
  readonly inputMode: "numeric" | "decimal";
  format(value: number): string;
}

const FIGURES: readonly Figure[] = [
  {
    imposed: "imposed_daily_token_budget",
    own: "daily_token_budget",
    today: "tokens_today",
    month: "tokens_month",
    label: "Tokens per day",
    inputMode: "numeric",
    format: formatCount,
  },
  {
    imposed: "imposed_daily_cost_budget_usd",
    own: "daily_cost_budget_usd",
    today: "cost_today_usd",
    month: "cost_month_usd",
    label: "Cost per day (USD)",
    inputMode: "decimal",
    format: formatMoney,
  },
  {
    imposed: "imposed_daily_runs",
    own: null,
    today: "runs_today",
    month: "runs_month",
    label: "Runs per day",
    inputMode: "numeric",
    format: formatCount,
  },
];

/** The limits of a user beside what was used, and those that operators impose. Digits stay text, so that none is lost. */
export function LimitsCard({ userId, limits }: LimitsCardProps) {
  const [texts, setTexts] = useState<Readonly<Record<keyof ImposedLimits, string>>>({
    imposed_daily_token_budget: limits.imposed_daily_token_budget ?? "",
    imposed_daily_cost_budget_usd: limits.imposed_daily_cost_budget_usd ?? "",
    imposed_daily_runs: limits.imposed_daily_runs ?? "",
  });
  const [reason, setReason] = useState("");
  const impose = useImposeLimits(userId);
  const toast = useToast();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const saved = await impose.run({
      imposed_daily_token_budget: texts.imposed_daily_token_budget.trim() || null,
      imposed_daily_cost_budget_usd: texts.imposed_daily_cost_budget_usd.trim() || null,
      imposed_daily_runs: texts.imposed_daily_runs.trim() || null,
      reason: reason.trim(),
    });
    if (saved === null) return;
    setReason("");
    toast({ text: "The limits are saved." });
  };
  return (
    <CardSection
      title="Use and limits"
      description="What the user has used in all swarms that the user owns, and what a day (UTC) allows; the smaller limit applies. The user sees the imposed limits and cannot change them."
      action={<Link to={`/operator/audit?subject=${userId}&action=users.limits`}>Changes</Link>}
    >
      <form className="grid gap-5" onSubmit={(event) => void submit(event)}>
        <div className="grid gap-5 lg:grid-cols-3">
          {FIGURES.map((figure) => (
            <div key={figure.imposed} className="grid content-start gap-3">
              <Field label={figure.label} hint="Imposed. Empty means no limit." error={impose.errors[figure.imposed]}>
                <TextInput
                  inputMode={figure.inputMode}
                  maxLength={19}
                  {...typed(texts[figure.imposed], (text) => setTexts((old) => ({ ...old, [figure.imposed]: text })))}
                />
              </Field>
              <Use figure={figure} limits={limits} />
            </div>
          ))}
        </div>
        <p className="text-sm text-ink-soft">
          Requests: {formatCount(Number(limits.requests_today))} today, {formatCount(Number(limits.requests_month))}{" "}
          this month.
        </p>
        <Field label="Reason" hint="In the audit log; the user does not see it." error={impose.errors["reason"]}>
          <TextInput required maxLength={500} autoComplete="off" {...typed(reason, setReason)} />
        </Field>
        <div>
          <Button type="submit" isBusy={impose.isBusy}>
            Save limits
          </Button>
        </div>
      </form>
    </CardSection>
  );
}

function Use({ figure, limits }: { readonly figure: Figure; readonly limits: UserLimits }) {
  const { own, imposed, today, month, format } = figure;
  const used = Number(limits[today]);
  const budget = own && limits[own];
  const budgets = [budget, limits[imposed]].filter((text) => text !== null).map(Number);
  // The smaller one of the day; without any, no use reaches it.
  const limit = Math.min(Number.POSITIVE_INFINITY, ...budgets);
  const shown = (
    <>
      {format(used)} {budgets.length > 0 && `of ${format(limit)}`}{" "}
      {used >= limit && <Badge tone="bad">{used > limit ? "Over the limit" : "Limit reached"}</Badge>}
    </>
  );
  return (
    <Facts
      rows={[
        ["Today", shown],
        ["This month", format(Number(limits[month]))],
        ...(own === null ? [] : [["Own budget", budget === null ? "none" : format(Number(budget))] as const]),
      ]}
    />
  );
}
