import type { SwarmStrategy } from "@swarmbase/sdk";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { ChevronRight } from "lucide-react";
import { useAgentChoices } from "../../../data/swarm-agents.ts";
import { useCreateSwarm } from "../../../data/swarms.ts";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { FormFrame } from "../../../components/form-frame.tsx";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { useFreshErrors } from "../../../components/use-fresh-errors.ts";
import { AgentPicker } from "./agent-picker.tsx";
import { BudgetFields, LimitFields } from "./limits-fields.tsx";
import { type SettingsDraft, toDraft, toSettings } from "./settings-draft.ts";
import { StrategyField } from "./strategy-field.tsx";

interface NewForm {
  readonly name: string;
  readonly description: string;
  readonly strategy: SwarmStrategy;
  readonly agentIds: readonly string[];
  readonly coordinatorId: string | null;
  readonly draft: SettingsDraft;
}

const EMPTY: NewForm = {
  name: "",
  description: "",
  strategy: "round_robin",
  agentIds: [],
  coordinatorId: null,
  draft: toDraft({}),
};

export function NewSwarm() {
  const [form, setForm] = useState(EMPTY);
  const { rows: agents = [] } = useAgentChoices(form.agentIds);
  const create = useCreateSwarm();
  const { errors, touch } = useFreshErrors(create.errors);
  const navigate = useNavigate();
  const change = (part: Partial<NewForm>, field: string) => {
    setForm({ ...form, ...part });
    touch(field);
  };
  const chosen = form.agentIds.flatMap((id) => agents.filter((agent) => agent.id === id));
  const run = async () => {
    const { draft, ...swarm } = form;
    const coordinatorId = chosen.some(({ id }) => id === form.coordinatorId) ? form.coordinatorId : null;
    const id = await create.run({ ...swarm, coordinatorId, settings: toSettings(draft, {}) });
    if (id !== null) await navigate(`/swarms/${id}`, { state: SAVED });
  };
  const onDraft = (draft: SettingsDraft, field: string) => change({ draft }, field);
  return (
    <div className="max-w-3xl">
      <PageHeader
        title="New swarm"
        crumbs={[{ label: "Swarms", to: "/swarms" }]}
        description="A name and an agent or two are enough. Everything can be changed later."
      />
      <FormFrame
        label="New swarm"
        action="Create swarm"
        isBusy={create.isBusy || create.isDone}
        isDirty={form !== EMPTY}
        failure={create.failure}
        errors={errors}
        onSubmit={() => void run()}
        onCancel={() => void navigate("/swarms", { state: SAVED })}
      >
        <CardSection title="General">
          <div className="grid gap-4">
            <Field label="Name" error={errors["name"]}>
              <TextInput autoFocus {...typed(form.name, (name) => change({ name }, "name"))} autoComplete="off" />
            </Field>
            <Field label="Description" isOptional error={errors["description"]}>
              <TextArea
                rows={2}
                {...typed(form.description, (description) => change({ description }, "description"))}
                placeholder="What is it about?"
              />
            </Field>
          </div>
        </CardSection>
        <CardSection title="Agents" description="Select them in speaking order.">
          <AgentPicker chosen={form.agentIds} onChange={(agentIds) => change({ agentIds }, "agents")} />
        </CardSection>
        <CardSection title="Strategy">
          <StrategyField
            value={form.strategy}
            onChange={(strategy) => change({ strategy }, "strategy")}
            coordinatorId={form.coordinatorId}
            onCoordinator={(coordinatorId) => change({ coordinatorId }, "coordinator_agent_id")}
            agents={chosen}
            error={errors["coordinator_agent_id"]}
          />
        </CardSection>
        <Fold
          title="Budgets and limits"
          description="Limits the cost and duration of a run. The defaults are low."
          isOpenBy={Object.keys(errors).some((field) => field.startsWith("settings"))}
        >
          <div className="grid gap-6">
            <BudgetFields draft={form.draft} onChange={onDraft} errors={errors} />
            <LimitFields draft={form.draft} onChange={onDraft} errors={errors} />
          </div>
        </Fold>
      </FormFrame>
    </div>
  );
}

interface FoldProps {
  readonly title: string;
  readonly description: string;
  /** Opens the section, because a field inside has an error. */
  readonly isOpenBy: boolean;
  readonly children: ReactNode;
}

/** A collapsed section for rarely changed settings. */
function Fold({ title, description, isOpenBy, children }: FoldProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpenBy && details.current !== null) details.current.open = true;
  }, [isOpenBy]);
  return (
    <details ref={details} className="group/fold rounded-lg border border-line bg-surface shadow-1">
      <summary className="flex list-none items-center gap-3 rounded-lg px-4 py-3.5 hover:bg-hover sm:px-5 [&::-webkit-details-marker]:hidden">
        <span className="grid flex-1 gap-0.5">
          <span className="text-lg font-semibold">{title}</span>
          <span className="text-ink-soft">{description}</span>
        </span>
        <ChevronRight className="size-4.5 text-ink-faint transition-transform group-open/fold:rotate-90" aria-hidden />
      </summary>
      <div className="p-4 pt-2 sm:p-5 sm:pt-2">{children}</div>
    </details>
  );
}
