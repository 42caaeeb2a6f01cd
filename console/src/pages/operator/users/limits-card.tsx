import { type FormEvent, useState } from "react";
import { type UserLimits, useChangeLimits } from "../../../data/operator-users.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { formatMoney, formatTokens } from "../../../components/formats.ts";
import { TextInput } from "../../../components/text-input.tsx";
import { useToast } from "../../../components/toast.tsx";

interface LimitsCardProps {
  readonly userId: string;
  readonly limits: UserLimits;
}

/** The daily budgets of a user. Digits stay text, so that none is lost. */
export function LimitsCard({ userId, limits }: LimitsCardProps) {
  const [tokens, setTokens] = useState(limits.daily_token_budget ?? "");
  const [cost, setCost] = useState(trimZeros(limits.daily_cost_budget_usd ?? ""));
  const change = useChangeLimits(userId);
  const toast = useToast();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { daily_token_budget: tokens.trim() || null, daily_cost_budget_usd: cost.trim() || null };
    if ((await change.run(body)) !== null) toast({ text: "The limits are saved." });
  };
  return (
    <CardSection
      title="Limits"
      description={`Today: ${formatTokens(Number(limits.tokens_today))} tokens, ${formatMoney(Number(limits.cost_today_usd))}. The user sees these budgets and can change them too.`}
    >
      <form className="grid gap-4 sm:grid-cols-2" onSubmit={(event) => void submit(event)}>
        <Field label="Tokens per day" isOptional error={change.errors["daily_token_budget"]}>
          <TextInput
            inputMode="numeric"
            maxLength={18}
            value={tokens}
            onChange={({ target }) => setTokens(target.value)}
          />
        </Field>
        <Field label="Cost per day (USD)" isOptional error={change.errors["daily_cost_budget_usd"]}>
          <TextInput inputMode="decimal" maxLength={19} value={cost} onChange={({ target }) => setCost(target.value)} />
        </Field>
        <div>
          <Button type="submit" isBusy={change.isBusy}>
            Save the limits
          </Button>
        </div>
      </form>
    </CardSection>
  );
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
