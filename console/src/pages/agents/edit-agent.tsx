import { useState } from "react";
import type { Agent, AgentDraft } from "../../data/agents.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { useToast } from "../../components/toast.tsx";
import { useEditedRow } from "../../components/use-edited-row.ts";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { draftOf, isSameDraft, tidyDraft, touchParts } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";

export function EditAgent({ agent }: { readonly agent: Agent }) {
  const [changes, setChanges] = useState<Partial<AgentDraft>>({});
  const base = useEditedRow(agent, Object.keys(changes).length > 0);
  const save = useSaveEdit<Agent, Partial<AgentDraft>>("agents");
  const undo = useSaveEdit<Agent, Partial<AgentDraft>>("agents");
  const { errors, touch } = useFreshErrors(save.errors);
  const toast = useToast();
  const stored = draftOf(base);
  const draft = { ...stored, ...changes };
  const touched = Object.keys(changes) as (keyof AgentDraft)[];
  const pick = (from: AgentDraft) => Object.fromEntries(touched.map((field) => [field, from[field]]));
  const finish = (saved: Agent | null) => {
    if (saved === null) return;
    setChanges({});
    const takeBack = async () => {
      if ((await undo.run({ base: saved, change: pick(stored) })) === null)
        toast({ text: `${saved.name} was changed again, so this was not undone.`, tone: "bad" });
    };
    toast({
      text: `${saved.name} is saved. The changes apply to its next turn.`,
      action: { label: "Undo", run: () => void takeBack() },
    });
  };
  return (
    <FormFrame
      label="Settings"
      action="Save"
      cancel="Discard"
      needsChange
      isBusy={save.isBusy}
      isDirty={!isSameDraft(draft, stored)}
      failure={save.failure}
      errors={errors}
      onSubmit={() => void save.run({ base, change: pick(tidyDraft(draft)) }).then(finish)}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
      onCancel={() => {
        save.reset();
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
