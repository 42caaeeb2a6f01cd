import { useState } from "react";
import { useNavigate } from "react-router";
import { type AgentDraft, useCreateAgent } from "../../data/agents.ts";
import { getConfig } from "../../data/client.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { EMPTY_DRAFT, isSameDraft, tidyDraft, touchParts } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";
import { Starters } from "./starters.tsx";

export function NewAgent() {
  const [initial] = useState<AgentDraft>(() => ({ ...EMPTY_DRAFT, framework: getConfig().framework }));
  const [draft, setDraft] = useState(initial);
  const create = useCreateAgent();
  const navigate = useNavigate();
  const { errors, touch } = useFreshErrors(create.errors);
  const change = (part: Partial<AgentDraft>) => {
    setDraft((old) => ({ ...old, ...part }));
    touchParts(touch, draft, part);
  };
  const submit = async () => {
    const agent = await create.run(tidyDraft(draft));
    if (agent !== null) await navigate(`/agents/${agent.id}/try`, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title="New agent"
        description="Only the name is required. Everything can be changed later."
        crumbs={[{ label: "Agents", to: "/agents" }]}
      />
      <FormFrame
        label="New agent"
        action="Create agent"
        isBusy={create.isBusy || create.isDone}
        isDirty={!isSameDraft(draft, initial)}
        failure={create.failure}
        errors={errors}
        onSubmit={() => void submit()}
        onCancel={() => void navigate("/agents")}
      >
        <AgentForm draft={draft} onChange={change} errors={errors} starters={<Starters onChoose={change} />} />
      </FormFrame>
    </>
  );
}
