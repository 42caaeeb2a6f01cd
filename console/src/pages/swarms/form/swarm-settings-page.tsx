import { type ReactNode, useState } from "react";
import type { Row } from "../../../data/client.ts";
import { useGuardrailsOf } from "../../../data/guardrails.ts";
import type { SwarmChange } from "../../../data/swarms.ts";
import { useSaveEdit } from "../../../data/save-edit.ts";
import { Banner } from "../../../components/banner.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { FormFrame } from "../../../components/form-frame.tsx";
import { GuardrailLinks } from "../../../components/guardrail-links.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";
import { useEditedRow } from "../../../components/use-edited-row.ts";
import { useFreshErrors } from "../../../components/use-fresh-errors.ts";
import { ROLE_LABELS } from "../../../components/role-labels.ts";
import { Button } from "../../../components/button.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { ConductFields, ModerationFields } from "./conduct-fields.tsx";
import { BudgetFields, LimitFields } from "./limits-fields.tsx";
import { PreambleFields } from "./preamble-fields.tsx";
import { toDraft, toSettings } from "./settings-draft.ts";
import { StrategyField } from "./strategy-field.tsx";
import { DeleteSwarm } from "./delete-swarm.tsx";

type SwarmForm = ReturnType<typeof fillForm>;

/** The settings of a swarm, read-only for members who may not change them. */
export function SwarmSettingsPage() {
  const { swarm, rights } = useSwarmContext();
  const [changed, setChanged] = useState<SwarmForm | null>(null);
  const base = useEditedRow<Row<"swarms">>(swarm, changed !== null);
  const form = changed ?? fillForm(base);
  const save = useSaveEdit<Row<"swarms">, SwarmChange>("swarms");
  const { errors, touch } = useFreshErrors(save.errors);
  const show = useToast();
  const change = (part: Partial<SwarmForm>, field: string) => {
    setChanged({ ...form, ...part });
    touch(field);
  };
  const finish = (saved: Row<"swarms"> | null) => {
    if (saved === null) return;
    setChanged(null);
    show({ text: "Saved." });
  };
  const takeBack = () => {
    save.reset();
    setChanged(null);
  };
  const fields = <SettingsFields form={form} change={change} errors={errors} />;
  return (
    <Page>
      {rights.canManage ? (
        <FormFrame
          label="Settings of the swarm"
          action="Save"
          cancel="Discard"
          needsChange
          isDirty={changed !== null}
          isBusy={save.isBusy}
          failure={save.failure}
          errors={errors}
          onSubmit={() => void save.run({ base, change: readForm(form, base) }).then(finish)}
          onResolve={(choice) => void save.resolve(choice).then(finish)}
          onCancel={takeBack}
        >
          {fields}
        </FormFrame>
      ) : (
        <>
          <Banner tone="note">
            Your role is {ROLE_LABELS[rights.role].label.toLowerCase()}, so you can read the settings but not change
            them.
          </Banner>
          <fieldset disabled className="grid min-w-0 gap-5">
            {fields}
          </fieldset>
        </>
      )}
      {rights.canManage && <Guardrails swarmId={swarm.id} />}
      {rights.canDelete && <DangerZone />}
    </Page>
  );
}

function Guardrails({ swarmId }: { readonly swarmId: string }) {
  const { rows } = useGuardrailsOf({ swarm_id: swarmId });
  return (
    <GuardrailLinks
      of={`swarm:${swarmId}`}
      guardrails={rows}
      hint="None. A guardrail checks what every agent of the swarm reads or answers here."
    />
  );
}

function Page({ children }: { readonly children: ReactNode }) {
  return <div className="mx-auto grid w-full max-w-4xl gap-5 px-4 py-6 pb-28 sm:px-6 lg:pb-16">{children}</div>;
}

interface SettingsFieldsProps {
  readonly form: SwarmForm;
  change(part: Partial<SwarmForm>, field: string): void;
  readonly errors: Readonly<Record<string, string>>;
}

function SettingsFields({ form, change, errors }: SettingsFieldsProps) {
  const { swarmAgents, rights } = useSwarmContext();
  const agents = (swarmAgents.rows ?? []).flatMap(({ agent_cards: card }) => (card === null ? [] : [card]));
  const { draft } = form;
  const fields = { draft, errors, onChange: (next: typeof draft, field: string) => change({ draft: next }, field) };
  return (
    <>
      <CardSection title="General">
        <div className="grid gap-4">
          <Field label="Name" error={errors["name"]}>
            <TextInput {...typed(form.name, (name) => change({ name }, "name"))} />
          </Field>
          <Field label="Description" isOptional error={errors["description"]}>
            <TextArea rows={2} {...typed(form.description, (description) => change({ description }, "description"))} />
          </Field>
        </div>
      </CardSection>
      <CardSection title="Strategy">
        <StrategyField
          value={form.strategy}
          onChange={(strategy) => change({ strategy }, "strategy")}
          coordinatorId={form.coordinatorId}
          onCoordinator={(coordinatorId) => change({ coordinatorId }, "coordinator_agent_id")}
          agents={agents}
          error={errors["coordinator_agent_id"]}
        />
      </CardSection>
      <CardSection title="Behaviour">
        <ConductFields {...fields} />
      </CardSection>
      <CardSection title="Preamble">
        <PreambleFields {...fields} isOwner={rights.role === "owner"} />
      </CardSection>
      <CardSection title="Budgets" description="Model calls beyond the budget are rejected. Earlier messages are kept.">
        <BudgetFields {...fields} />
      </CardSection>
      <CardSection title="Limits" description="Limits of a run. Empty fields use the defaults.">
        <LimitFields {...fields} />
      </CardSection>
      <CardSection title="Blocklist">
        <ModerationFields {...fields} />
      </CardSection>
    </>
  );
}

function fillForm(swarm: Row<"swarms">) {
  return {
    name: swarm.name,
    description: swarm.description ?? "",
    strategy: swarm.strategy,
    coordinatorId: swarm.coordinator_agent_id,
    draft: toDraft(swarm.settings),
  };
}

function readForm(form: SwarmForm, swarm: Row<"swarms">): SwarmChange {
  return {
    name: form.name,
    description: form.description.trim() === "" ? null : form.description,
    strategy: form.strategy,
    coordinator_agent_id: form.coordinatorId,
    settings: toSettings(form.draft, swarm.settings),
  };
}

function DangerZone() {
  const { swarm } = useSwarmContext();
  const [isOpen, setOpen] = useState(false);
  return (
    <section
      aria-label="Delete the swarm"
      className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-bad bg-surface p-4 sm:p-5"
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-0.5">
        <h2 className="text-lg font-semibold">Delete the swarm</h2>
        <p className="text-ink-soft">Deletes the swarm and its messages for all members. You can archive it instead.</p>
      </div>
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete …
      </Button>
      <DeleteSwarm swarm={swarm} isOpen={isOpen} onClose={() => setOpen(false)} />
    </section>
  );
}
