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
import { typed } from "../../components/typed.ts";
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

type Budgets = Pick<Settings, "daily_token_budget" | "daily_cost_budget_usd">;

const FIELDS = [
  {
    name: "daily_token_budget",
    label: "Tokens a day",
    hint: "Input and output tokens together. Empty means no limit.",
    inputMode: "numeric",
  },
  {
    name: "daily_cost_budget_usd",
    label: "Dollars a day",
    hint: "Models without a price do not count. Empty means no limit.",
    inputMode: "decimal",
  },
] as const;

function BudgetsCard({ settings: { daily_token_budget, daily_cost_budget_usd } }: { readonly settings: Settings }) {
  const saved = { daily_token_budget, daily_cost_budget_usd };
  const [texts, setTexts] = useState(() => toTexts(saved));
  const save = useSaveSettings();
  const toast = useToast();
  const [inputErrors, setInputErrors] = useState<Readonly<Record<string, string>>>({});
  const { errors, touch } = useFreshErrors(save.failure === null ? inputErrors : save.errors);
  const budgets = {
    daily_token_budget: readNumber(texts.daily_token_budget),
    daily_cost_budget_usd: readNumber(texts.daily_cost_budget_usd),
  };
  const submit = async () => {
    save.reset();
    const found = findErrors(budgets);
    setInputErrors(found);
    if (Object.keys(found).length > 0 || (await save.run(budgets)) === null) return;
    const undo = () => {
      setTexts(toTexts(saved));
      void save.run(saved);
    };
    toast({ text: "Your budgets are saved.", action: { label: "Undo", run: undo } });
  };
  return (
    <SaveCard
      title="Daily budgets"
      description="The maximum usage per day in all swarms that you own, for questions of all members. Model calls beyond it are rejected."
      action="Save"
      isBusy={save.isBusy}
      isReady={FIELDS.some(({ name }) => budgets[name] !== saved[name])}
      failure={save.failure}
      onSubmit={() => void submit()}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map(({ name, label, hint, inputMode }) => (
          <Field key={name} label={label} isOptional hint={hint} error={errors[name]}>
            <TextInput
              inputMode={inputMode}
              autoComplete="off"
              placeholder="no limit"
              {...typed(texts[name], (text) => {
                setTexts((old) => ({ ...old, [name]: text }));
                touch(name);
              })}
            />
          </Field>
        ))}
      </div>
      <p className="text-sm text-ink-faint">
        Days are in UTC. <Link to="/usage">View usage</Link>
      </p>
    </SaveCard>
  );
}

function toTexts({ daily_token_budget: tokens, daily_cost_budget_usd: cost }: Budgets) {
  return { daily_token_budget: String(tokens ?? ""), daily_cost_budget_usd: String(cost ?? "") };
}

/** Null for an empty text, NaN for an invalid number. Ignores separators between digits. */
function readNumber(text: string): number | null {
  const bare = text.replace(/[\s_,']/g, "").replace(/^\$/, "");
  return bare === "" ? null : Number(bare);
}

function findErrors({ daily_token_budget: tokens, daily_cost_budget_usd: cost }: Budgets) {
  return {
    ...(tokens !== null && !Number.isSafeInteger(tokens) && { daily_token_budget: "must be a whole number" }),
    ...(cost !== null && !Number.isFinite(cost) && { daily_cost_budget_usd: "must be a number" }),
  };
}
