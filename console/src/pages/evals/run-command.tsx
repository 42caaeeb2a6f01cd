import { Play } from "lucide-react";
import { useState } from "react";
import { useAgentVersions } from "../../data/agent-versions.ts";
import { getConfig } from "../../data/client.ts";
import type { EvalDataset } from "../../data/eval-datasets.ts";
import { useLiveTable } from "../../data/live.ts";
import { useAgentChoices } from "../../data/swarm-agents.ts";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Link } from "../../components/link.tsx";
import { Select } from "../../components/select.tsx";

/** Shows the command that runs the dataset against a version of an agent. */
export function RunCommand({ dataset }: { readonly dataset: EvalDataset }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<Play />} onClick={() => setOpen(true)}>
        Run …
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Run ${dataset.name}`}
        description="A run is started with a command, on your computer or in CI. Its results appear here as they come."
      >
        <Choices dataset={dataset} />
      </Dialog>
    </>
  );
}

function Choices({ dataset }: { readonly dataset: EvalDataset }) {
  useLiveTable("agents");
  const { rows: agents } = useAgentChoices();
  const [chosen, setChosen] = useState("");
  const [version, setVersion] = useState("");
  const [judgeId, setJudgeId] = useState("");
  const agentId = chosen === "" ? (agents?.[0]?.id ?? "") : chosen;
  if (agents?.length === 0)
    return (
      <p className="text-ink-soft">
        You have no agent yet. <Link to="/agents/new">Make an agent</Link> first.
      </p>
    );
  const named = (agents ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const words = [
    `npx swarmbase eval ${dataset.id} --agent ${agentId}`,
    ...(version === "" ? [] : [`--version ${version}`]),
    ...(judgeId === "" ? [] : [`--judge ${judgeId}`]),
  ];
  const { url, anonKey } = getConfig();
  const variables = [
    `export SWARMBASE_URL=${url}`,
    `export SWARMBASE_ANON_KEY=${anonKey}`,
    "export SWARMBASE_ACCESS_TOKEN=…",
  ];
  return (
    <div className="grid grid-cols-1 gap-4">
      <Field label="Agent">
        <Select
          value={agentId}
          choices={named}
          onChange={(id) => {
            setChosen(id);
            setVersion("");
          }}
        />
      </Field>
      {agentId !== "" && <Version agentId={agentId} value={version} onChange={setVersion} />}
      <Field label="Judge" hint="For cases that a judge decides and that name none.">
        <Select value={judgeId} choices={[{ value: "", label: "None" }, ...named]} onChange={setJudgeId} />
      </Field>
      <CodeBlock label="Command" code={words.join(" ")} isWrapped />
      <CodeBlock label="Variables" code={variables.join("\n")} isWrapped />
      <p className="text-sm text-ink-faint">
        The access token is an <Link to="/account/keys">API key</Link> with the scopes read, write and run.
      </p>
    </div>
  );
}

interface VersionProps {
  readonly agentId: string;
  readonly value: string;
  onChange(version: string): void;
}

function Version({ agentId, value, onChange }: VersionProps) {
  const { rows: versions = [] } = useAgentVersions(agentId);
  return (
    <Field label="Version">
      <Select
        value={value}
        choices={[
          { value: "", label: "The latest" },
          ...versions.map(({ number }) => ({ value: String(number), label: `Version ${number}` })),
        ]}
        onChange={onChange}
      />
    </Field>
  );
}
