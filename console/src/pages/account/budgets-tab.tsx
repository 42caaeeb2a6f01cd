import { useState } from "react";
import { type Settings, useSaveSettings, useSettings } from "../../data/account.ts";
import { Banner } from "../../components/banner.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Field } from "../../components/field.tsx";
import { formatCount, formatMoney } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useToast } from "../../components/toast.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { SaveCard } from "./save-card.tsx";

export function BudgetsTab() {
  const { rows: settings, ...read } = useSettings();
  if (settings === undefined)
    return <NotLoaded title="Your budgets could not be loaded" read={read} skeleton={<PageSkeleton />} />;
  return (
    <div className="grid gap-4">
      <ImposedLimits settings={settings} />
      <BudgetsCard settings={settings} />
    </div>
  );
}

/** What the operator of the service has decided. */
function ImposedLimits({ settings }: { readonly settings: Settings }) {
  const {
    imposed_daily_token_budget: tokens,
    imposed_daily_cost_budget_usd: cost,
    imposed_daily_runs: runs,
  } = settings;
  const limits = [
    ...(tokens === null ? [] : [`${formatCount(tokens)} tokens`]),
    ...(cost === null ? [] : [formatMoney(cost)]),
    ...(runs === null ? [] : [`${formatCount(runs)} ${runs === 1 ? "run" : "runs"}`]),
  ];
  if (limits.length === 0) return null;
  return (
    <Banner tone="note">
      The operator of this service allows you {limits.join(", ")} a day. You cannot change this; a smaller budget of
      your own applies first.
    </Banner>
  );
}

function BudgetsCard({ settings }: { readonly settings: Settings }) {
  const { daily_token_budget: savedTokens, daily_cost_budget_usd: savedCost } = settings;
  const [tokens, setTokens] = useState(savedTokens === null ? "" : String(savedTokens));
  const [cost, setCost] = useState(savedCost === null ? "" : String(savedCost));
  const save = useSaveSettings();
  const toast = useToast();
  const [inputErrors, setInputErrors] = useState<Readonly<Record<string, string>>>({});
  const { errors, touch } = useFreshErrors(save.failure === null ? inputErrors : save.errors);
  const budgets = { daily_token_budget: readNumber(tokens), daily_cost_budget_usd: readNumber(cost) };
  const isChanged = budgets.daily_token_budget !== savedTokens || budgets.daily_cost_budget_usd !== savedCost;
  const submit = async () => {
    save.reset();
    const found = findErrors(budgets);
    setInputErrors(found);
    if (Object.keys(found).length > 0) return;
    const before = { daily_token_budget: savedTokens, daily_cost_budget_usd: savedCost };
    if ((await save.run(budgets)) === null) return;
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
      description="The maximum usage per day in all swarms that you own, for questions of all members. Model calls beyond it are not made."
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
          hint="Input and output tokens together. Empty means no limit."
          error={errors["daily_token_budget"]}
        >
          <TextInput
            inputMode="numeric"
            autoComplete="off"
            placeholder="no limit"
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
          hint="Models without a price do not count. Empty means no limit."
          error={errors["daily_cost_budget_usd"]}
        >
          <TextInput
            inputMode="decimal"
            autoComplete="off"
            placeholder="no limit"
            value={cost}
            onChange={(event) => {
              setCost(event.target.value);
              touch("daily_cost_budget_usd");
            }}
          />
        </Field>
      </div>
      <p className="text-sm text-ink-faint">
        Days are in UTC. <Link to="/usage">See the usage</Link>
      </p>
    </SaveCard>
  );
}

/** Null for an empty text, NaN for an invalid number. Ignores separators between digits. */
function readNumber(text: string): number | null {
  const bare = text.replace(/[\s_,']/g, "").replace(/^\$/, "");
  return bare === "" ? null : Number(bare);
}

function findErrors(budgets: {
  readonly daily_token_budget: number | null;
  readonly daily_cost_budget_usd: number | null;
}): Readonly<Record<string, string>> {
  const { daily_token_budget: tokens, daily_cost_budget_usd: cost } = budgets;
  return {
    ...(tokens !== null && !Number.isSafeInteger(tokens) && { daily_token_budget: "must be a whole number" }),
    ...(cost !== null && !Number.isFinite(cost) && { daily_cost_budget_usd: "must be a number" }),
  };
}
