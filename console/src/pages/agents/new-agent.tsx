import { useState } from "react";
import { useNavigate } from "react-router";
import { useInsertRow } from "../../data/changed-rows.ts";
import type { AgentDraft } from "../../data/agents.ts";
import { getConfig } from "../../data/client.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { Button } from "../../components/button.tsx";
import { EMPTY_DRAFT, isSameDraft, tidyDraft, touchParts } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";

const STARTERS: readonly Start[] = [
  {
    name: "Ada",
    role: "Explains",
    system_prompt:
      "You explain things to people who are new to them.\n\n- Begin with the answer, then say why.\n- Use one example from everyday life.\n- Say so when you are not sure.\n- Stay below 150 words unless somebody asks for more.",
    settings: { temperature: 0.5 },
  },
  {
    name: "Max",
    role: "Doubts",
    system_prompt:
      "You read what was said before you and look for what is missing, wrong or only assumed.\n\n- Name the weakest point first.\n- Say what would convince you.\n- Be kind: it is about the matter, never about the person.\n- If everything holds, say so in one sentence.",
    settings: { temperature: 0.3 },
  },
  {
    name: "Iris",
    role: "Has ideas",
    system_prompt:
      "You bring ideas that nobody has mentioned yet.\n\n- Give three, from the obvious to the daring.\n- One sentence each, and one about what it would take to try it.\n- Do not judge them: others do.",
    settings: { temperature: 1.1, presence_penalty: 0.6 },
  },
  {
    name: "Nora",
    role: "Sums up",
    system_prompt:
      "You sum up a conversation for somebody who was not there.\n\n- What was decided, with names.\n- What is open, and who has it.\n- Nothing that was not said.",
    settings: { temperature: 0.2 },
  },
];

export function NewAgent() {
  const [initial] = useState<AgentDraft>(() => ({ ...EMPTY_DRAFT, framework: getConfig().framework }));
  const [draft, setDraft] = useState(initial);
  const create = useInsertRow<AgentDraft>("agents");
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

type Start = Pick<AgentDraft, "name" | "role" | "system_prompt" | "settings">;

interface StartersProps {
  onChoose(start: Start): void;
}

/** Templates that fill in the form. */
function Starters({ onChoose }: StartersProps) {
  return (
    <div role="group" aria-label="Start from a template" className="flex flex-wrap items-center gap-1.5">
      <span className="mr-1 text-sm text-ink-faint">Start from</span>
      {STARTERS.map((start) => (
        <Button key={start.name} size="small" onClick={() => onChoose(start)}>
          {start.name} <span className="font-normal text-ink-faint">{start.role?.toLowerCase()}</span>
        </Button>
      ))}
    </div>
  );
}
