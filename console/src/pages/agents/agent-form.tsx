import type { ReactNode } from "react";
import type { AgentDraft } from "../../data/agents.ts";
import { findModel, useModels } from "../../data/models.ts";
import { CardSection } from "../../components/card.tsx";
import { findOtherKeys } from "./agent-draft.ts";
import { findDropped } from "./dropped-settings.ts";
import { IdentityFields } from "./identity-fields.tsx";
import { ModelFields } from "./model-fields.tsx";
import { SettingFields } from "./setting-fields.tsx";

interface AgentFormProps {
  readonly draft: AgentDraft;
  onChange(change: Partial<AgentDraft>): void;
  readonly errors: Readonly<Record<string, string>>;
  /** Above the first group: templates for a new agent. */
  readonly starters?: ReactNode;
}

/** All writable fields of an agent. */
export function AgentForm({ draft, onChange, errors, starters }: AgentFormProps) {
  const models = useModels();
  const model = findModel(models.rows, draft);
  const others = findOtherKeys(draft.settings);
  return (
    <div className="grid min-w-0 items-start gap-5 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
      <CardSection title="Identity" description="Users and other agents mention the agent by its name.">
        <div className="grid gap-5">
          {starters}
          <IdentityFields form={draft} onChange={onChange} errors={errors} />
        </div>
      </CardSection>
      <div className="grid min-w-0 gap-5">
        <CardSection title="Model" description="The model that generates the replies.">
          <ModelFields models={models} model={model} draft={draft} onChange={onChange} errors={errors} />
        </CardSection>
        <CardSection title="Behaviour" description="Optional. The defaults work for most agents.">
          <SettingFields
            settings={draft.settings}
            onChange={(settings) => onChange({ settings })}
            dropped={findDropped(draft.settings, model)}
            errors={errors}
            longest={model?.max_output_tokens ?? null}
          />
          {others.length > 0 && (
            <p className="mt-5 text-sm text-ink-faint">
              Other keys are kept: <span className="font-mono">{others.join(", ")}</span>
            </p>
          )}
        </CardSection>
      </div>
    </div>
  );
}
