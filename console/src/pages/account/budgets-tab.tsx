import { useState } from "react";
import { type Settings, useSaveSettings, useSettings } from "../../data/account.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { Field } from "../../components/field.tsx";
import { Link } from "../../components/link.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { SaveCard } from "./save-card.tsx";

export function BudgetsTab() {
  const { rows: settings, failure, reload } = useSettings();
  if (failure !== null && settings === undefined)
    return <FailureState title="Your budgets could not be loaded" message={failure.message} onRetry={reload} />;
  return settings === undefined ? <PageSkeleton /> : <BudgetsCard settings={settings} />;
}

function BudgetsCard({ settings }: { readonly settings: Settings }) {
  const { daily_token_budget: savedTokens, daily_cost_budget_usd: savedCost } = settings;
  const [tokens, setTokens] = useState(savedTokens === null ? "" : String(savedTokens));
  const [cost, setCost] = useState(savedCost === null ? "" : String(savedCost));
  const save = useSaveSettings();
  const toast = useToast();
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const { errors, touch } = useFreshErrors(save.failure === null ? wrong : save.errors);
  const wished = { daily_token_budget: readNumber(tokens), daily_cost_budget_usd: readNumber(cost) };
  const isChanged = wished.daily_token_budget !== savedTokens || wished.daily_cost_budget_usd !== savedCost;
  const submit = async () => {
    save.reset();
    const found = findWrong(wished);
    setWrong(found);
    if (Object.keys(found).length > 0) return;
    const before = { daily_token_budget: savedTokens, daily_cost_budget_usd: savedCost };
    if ((await save.run(wished)) === null) return;
    toast({
      text: "Your budgets are saved.",
      action: {
        label: "Undo",
        run: () => {
          setTokens(savedTokens === null ? "" : String(savedTokens));
          setCost(savedCost === null ? "" : String(savedCost));
          void save.run(before);
        },
      },
    });
  };
  return (
    <SaveCard
      title="Daily budgets"
      description="What agents may use in a day, in all swarms that are yours, whoever asks them. A call that does not fit is not made."
      action="Save"
      isBusy={save.isBusy}
      isReady={isChanged}
      failure={save.failure}
      onSubmit={() => void submit()}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Tokens a day"
          isOptional
          hint="Read and written together. Empty means no bound."
          error={errors["daily_token_budget"]}
        >
          <TextInput
            inputMode="numeric"
            autoComplete="off"
            placeholder="no bound"
            value={tokens}
            onChange={(event) => {
              setTokens(event.target.value);
              touch("daily_token_budget");
            }}
          />
        </Field>
        <Field
          label="Dollars a day"
          isOptional
          hint="Models without a price do not count. Empty means no bound."
          error={errors["daily_cost_budget_usd"]}
        >
          <TextInput
            inputMode="decimal"
            autoComplete="off"
            placeholder="no bound"
            value={cost}
            onChange={(event) => {
              setCost(event.target.value);
              touch("daily_cost_budget_usd");
            }}
          />
        </Field>
      </div>
      <p className="text-sm text-ink-faint">
        Days are those of UTC. <Link to="/usage">See what is used</Link>
      </p>
    </SaveCard>
  );
}

/** Null for nothing, NaN for what is no number. Spaces and signs between digits are for reading. */
function readNumber(text: string): number | null {
  const bare = text.replace(/[\s_,']/g, "").replace(/^\$/, "");
  return bare === "" ? null : Number(bare);
}

function findWrong(wished: {
  readonly daily_token_budget: number | null;
  readonly daily_cost_budget_usd: number | null;
}): Readonly<Record<string, string>> {
  const { daily_token_budget: tokens, daily_cost_budget_usd: cost } = wished;
  return {
    ...(tokens !== null && !Number.isSafeInteger(tokens) && { daily_token_budget: "must be a whole number" }),
    ...(cost !== null && !Number.isFinite(cost) && { daily_cost_budget_usd: "must be a number" }),
  };
}
