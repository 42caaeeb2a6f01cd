import { Field } from "../../../components/field.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { BUDGET_NAMES, BUDGETS, LIMIT_NAMES, LIMITS, type SettingsDraft } from "./settings-draft.ts";

export interface SettingsFieldsProps {
  readonly draft: SettingsDraft;
  /** Receives the changed draft and the name of the changed field. */
  onChange(draft: SettingsDraft, field: string): void;
  /** "settings.max_turns" → error message. */
  readonly errors: Readonly<Record<string, string>>;
}

export function LimitFields({ draft, onChange, errors }: SettingsFieldsProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-3">
      {LIMIT_NAMES.map((name) => {
        const { label, hint, default: usual, min, max } = LIMITS[name];
        return (
          <Field key={name} label={label} hint={hint} trailing={`${min} to ${max}`} error={errors[`settings.${name}`]}>
            <TextInput
              inputMode="numeric"
              placeholder={`default ${usual}`}
              value={draft.limits[name]}
              onChange={({ target }) =>
                onChange({ ...draft, limits: { ...draft.limits, [name]: target.value } }, `settings.${name}`)
              }
              className="tabular-nums"
            />
          </Field>
        );
      })}
    </div>
  );
}

export function BudgetFields({ draft, onChange, errors }: SettingsFieldsProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      {BUDGET_NAMES.map((name) => (
        <Field
          key={name}
          label={BUDGETS[name].label}
          trailing={BUDGETS[name].unit}
          error={errors[`settings.budget.${name}`]}
        >
          <TextInput
            inputMode="decimal"
            placeholder="no limit"
            value={draft.budget[name]}
            onChange={({ target }) =>
              onChange({ ...draft, budget: { ...draft.budget, [name]: target.value } }, `settings.budget.${name}`)
            }
            className="tabular-nums"
          />
        </Field>
      ))}
    </div>
  );
}
