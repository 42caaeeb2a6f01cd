import { useState } from "react";
import { useNavigate } from "react-router";
import { type RunChanges, useRunAgain } from "../../data/run-again.ts";
import type { Trace } from "../../data/traces.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { bindForm, type FieldsProps, PickerField, TextAreaField, TextField } from "../../components/form-fields.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";

const PLACES = [
  { value: "swarm", label: "In the swarm" },
  { value: "agent", label: "One agent, apart" },
] as const;
const NO_VALUES = { message: "", maxTurns: "", version: "", temperature: "", maxTokens: "", instructions: "" };
const NUMBER = { isOptional: true, type: "number", inputMode: "decimal", step: "1" } as const;

/** Asks the same question with changes, and opens the comparison. */
export function RunAgain({ trace, onClose }: { readonly trace: Trace; onClose(): void }) {
  const navigate = useNavigate();
  const again = useRunAgain();
  const agents = listAgents(trace);
  const [first] = agents;
  const [kind, setKind] = useState<RunChanges["kind"]>("swarm");
  const [agentId, setAgentId] = useState("");
  const [values, setValues] = useState({ ...NO_VALUES, message: trace.question?.content ?? "" });
  const fields: FieldsProps<typeof NO_VALUES> = {
    form: values,
    errors: again.errors,
    onChange: (change) => setValues((old) => ({ ...old, ...change })),
  };
  const bind = bindForm(fields);
  const { message } = values;
  const speaker = agents.find(({ id }) => id === agentId) ?? first;
  const run = async () => {
    const changes: RunChanges =
      kind === "swarm" || speaker === undefined
        ? { kind: "swarm", message, agentId: agentId === "" ? null : agentId, maxTurns: toNumber(values.maxTurns) }
        : {
            kind: "agent",
            message,
            agentId: speaker.id,
            version: toNumber(values.version),
            temperature: toNumber(values.temperature),
            maxTokens: toNumber(values.maxTokens),
            instructions: values.instructions,
          };
    const runId = await again.run({ trace, changes });
    if (runId !== null) void navigate(`/runs/compare?a=${trace.id}&b=${runId}`);
  };
  return (
    <ActionDialog
      size="medium"
      isOpen
      onClose={onClose}
      title="Run again with changes"
      description={
        kind === "swarm"
          ? "The question is sent to the swarm as a new message."
          : "The agent answers in a conversation of its own, with what was said before the question."
      }
      action="Run and compare"
      isBusy={again.isBusy}
      isDisabled={message.trim() === ""}
      onAction={() => void run()}
    >
      <div className="grid gap-4">
        {speaker !== undefined && (
          <SegmentedControl<RunChanges["kind"]> label="Where" value={kind} choices={PLACES} onChange={setKind} />
        )}
        <TextAreaField label="Question" rows={4} {...bind("message")} />
        {agents.length > 0 && (
          <PickerField
            label="Who answers"
            value={kind === "agent" ? (speaker?.id ?? "") : agentId}
            choices={[
              ...(kind === "swarm" ? [{ value: "", label: "As the swarm decides" }] : []),
              ...agents.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={setAgentId}
          />
        )}
        {kind === "swarm" ? (
          <TextField label="Maximum number of turns" {...NUMBER} {...bind("maxTurns")} />
        ) : (
          <AgentFields {...fields} version={speaker?.version ?? null} />
        )}
        {again.failure !== null && <Banner tone="bad">{again.failure.message}</Banner>}
      </div>
    </ActionDialog>
  );
}

/** What one agent, apart from its swarm, does differently. */
function AgentFields({ version, ...fields }: FieldsProps<typeof NO_VALUES> & { readonly version: number | null }) {
  const bind = bindForm(fields, {
    version: "agent_version",
    temperature: "settings.temperature",
    maxTokens: "settings.max_tokens",
  });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Version"
          {...NUMBER}
          placeholder={version === null ? "" : `was ${version}`}
          {...bind("version")}
        />
        <TextField label="Temperature" {...NUMBER} step="0.1" {...bind("temperature")} />
        <TextField label="Maximum tokens" {...NUMBER} {...bind("maxTokens")} />
      </div>
      <TextAreaField
        label="More instructions"
        isOptional
        hint="They follow the system prompt of the agent."
        rows={2}
        {...bind("instructions")}
      />
    </>
  );
}

function toNumber(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

interface Speaker {
  readonly id: string;
  readonly name: string;
  readonly version: number | null;
}

function listAgents({ turns }: Trace): readonly Speaker[] {
  const speakers = turns.flatMap(({ agent_id: id, agent_name: name, agent_version: version }) =>
    id === null ? [] : [{ id, name, version }],
  );
  return [...new Map(speakers.map((speaker) => [speaker.id, speaker])).values()];
}
