import { type FormEvent, useState } from "react";
import { type ImposedLimits, type UserLimits, useImposeLimits } from "../../../data/operator-users.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { formatMoney, formatTokens } from "../../../components/formats.ts";
import { TextInput } from "../../../components/text-input.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";

interface LimitsCardProps {
  readonly userId: string;
  readonly limits: UserLimits;
}

const FIELDS = [
  { name: "imposed_daily_token_budget", label: "Tokens per day", inputMode: "numeric", maxLength: 18 },
  { name: "imposed_daily_cost_budget_usd", label: "Cost per day (USD)", inputMode: "decimal", maxLength: 19 },
  { name: "imposed_daily_runs", label: "Runs per day", inputMode: "numeric", maxLength: 9 },
] as const;

/** The limits that operators impose on a user. Digits stay text, so that none is lost. */
export function LimitsCard({ userId, limits }: LimitsCardProps) {
  const [texts, setTexts] = useState<Readonly<Record<keyof ImposedLimits, string>>>({
    imposed_daily_token_budget: limits.imposed_daily_token_budget ?? "",
    imposed_daily_cost_budget_usd: trimZeros(limits.imposed_daily_cost_budget_usd ?? ""),
    imposed_daily_runs: limits.imposed_daily_runs ?? "",
  });
  const impose = useImposeLimits(userId);
  const toast = useToast();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const saved = await impose.run({
      imposed_daily_token_budget: texts.imposed_daily_token_budget.trim() || null,
      imposed_daily_cost_budget_usd: texts.imposed_daily_cost_budget_usd.trim() || null,
      imposed_daily_runs: texts.imposed_daily_runs.trim() || null,
    });
    if (saved !== null) toast({ text: "The limits are saved." });
  };
  return (
    <CardSection
      title="Limits"
      description="What the user can use in a day (UTC), in all swarms that the user owns. The user sees these limits and cannot change them. Empty means no limit."
    >
      <form className="grid gap-4 sm:grid-cols-3" onSubmit={(event) => void submit(event)}>
        {FIELDS.map(({ name, label, inputMode, maxLength }) => (
          <Field key={name} label={label} isOptional error={impose.errors[name]}>
            <TextInput
              inputMode={inputMode}
              maxLength={maxLength}
              {...typed(texts[name], (text) => setTexts((old) => ({ ...old, [name]: text })))}
            />
          </Field>
        ))}
        <p className="text-sm text-pretty text-ink-soft sm:col-span-3">{describeToday(limits)}</p>
        <div>
          <Button type="submit" isBusy={impose.isBusy}>
            Save the limits
          </Button>
        </div>
      </form>
    </CardSection>
  );
}

function describeToday(limits: UserLimits): string {
  const { daily_token_budget: tokens, daily_cost_budget_usd: cost } = limits;
  const used = `Today: ${formatTokens(Number(limits.tokens_today))}, ${formatMoney(Number(limits.cost_today_usd))}, ${limits.runs_today} runs.`;
  const own = [
    ...(tokens === null ? [] : [formatTokens(Number(tokens))]),
    ...(cost === null ? [] : [formatMoney(Number(cost))]),
  ];
  return own.length === 0
    ? `${used} The user has set no budget.`
    : `${used} The budgets of the user: ${own.join(" and ")} a day. The smaller limit applies.`;
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
