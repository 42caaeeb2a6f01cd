import { useState } from "react";
import { type Agent, type AgentDraft, useUpdateAgent } from "../../data/agents.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { useToast } from "../../components/toast.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { draftOf, isSameDraft, tidyDraft, touchParts } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";

export function EditAgent({ agent }: { readonly agent: Agent }) {
  // Local changes override the stored row, which may change meanwhile.
  const [changes, setChanges] = useState<Partial<AgentDraft>>({});
  const update = useUpdateAgent();
  const { errors, touch } = useFreshErrors(update.errors);
  const toast = useToast();
  const stored = draftOf(agent);
  const draft = { ...stored, ...changes };
  const save = async (change: Partial<AgentDraft>): Promise<boolean> =>
    (await update.run({ id: agent.id, change })) !== null;
  const submit = async () => {
    const tidy = tidyDraft(draft);
    const touched = Object.keys(changes) as (keyof AgentDraft)[];
    const before = Object.fromEntries(touched.map((field) => [field, stored[field]]));
    if (!(await save(Object.fromEntries(touched.map((field) => [field, tidy[field]]))))) return;
    setChanges({});
    toast({
      text: `${tidy.name} is saved. The changes apply to its next turn.`,
      action: { label: "Undo", run: () => void save(before) },
    });
  };
  return (
    <FormFrame
      label="Settings"
      action="Save"
      cancel="Discard"
      needsChange
      isBusy={update.isBusy}
      isDirty={!isSameDraft(draft, stored)}
      failure={update.failure}
      errors={errors}
      onSubmit={() => void submit()}
      onCancel={() => {
        update.reset();
        setChanges({});
      }}
    >
      <AgentForm
        draft={draft}
        onChange={(part) => {
          setChanges((old) => ({ ...old, ...part }));
          touchParts(touch, draft, part);
        }}
        errors={errors}
      />
    </FormFrame>
  );
}
