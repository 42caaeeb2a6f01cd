import { Play } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { EvalDataset } from "../../data/eval-datasets.ts";
import { JUDGE_FIELD, useStartEval } from "../../data/eval-runner.ts";
import type { Failure } from "../../data/failure.ts";
import { useLiveTable } from "../../data/live.ts";
import { type AgentChoice, useAgentChoices } from "../../data/swarm-agents.ts";
import { useAgentVersions } from "../../data/agent-versions.ts";
import { getConfig } from "../../data/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { PickerField, SelectField } from "../../components/form-fields.tsx";
import { Link } from "../../components/link.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { CodeBlock } from "../../components/code-block.tsx";

type Way = "tab" | "command";

const WAYS = [
  { value: "tab", label: "In this tab" },
  { value: "command", label: "With the command" },
] as const;

/** Runs the dataset against a version of an agent. */
export function RunDataset({ dataset }: { readonly dataset: EvalDataset }) {
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
        description="Asks a version of an agent all cases, and compares the results with an earlier run."
      >
        <Choices dataset={dataset} />
      </Dialog>
    </>
  );
}

function Choices({ dataset }: { readonly dataset: EvalDataset }) {
  useLiveTable("agents");
  const [way, setWay] = useState<Way>("tab");
  const [chosen, setChosen] = useState("");
  const [version, setVersion] = useState("");
  const [judgeId, setJudgeId] = useState("");
  const { rows: agents, search } = useAgentChoices([chosen, judgeId]);
  const [isStored, setStored] = useState(false);
  const { run, isBusy, isDone, failure, reset } = useStartEval();
  const navigate = useNavigate();
  if (agents?.length === 0)
    return (
      <p className="text-ink-soft">
        You have no agent yet. <Link to="/agents/new">Create an agent</Link> first.
      </p>
    );
  const agent = agents?.find(({ id }) => id === chosen) ?? agents?.[0] ?? null;
  const named = (agents ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const judgeError = failure?.fields[JUDGE_FIELD];
  /** Opens the page of the run when it has started. */
  const start = async (asked: Pick<AgentChoice, "id" | "name">): Promise<void> => {
    const runId = await run({
      dataset: { id: dataset.id, name: dataset.name },
      agent: { id: asked.id, name: asked.name },
      version: version === "" ? null : Number(version),
      judgeId: judgeId === "" ? null : judgeId,
      isStored,
    });
    if (runId !== null) await navigate(`/evals/${dataset.id}/runs/${runId}`);
  };
  return (
    <div className="grid grid-cols-1 gap-4">
      <SegmentedControl<Way> label="Where it runs" value={way} choices={WAYS} onChange={setWay} />
      <PickerField
        label="Agent"
        value={agent?.id ?? ""}
        choices={named}
        onSearch={search}
        onChange={(id) => {
          setChosen(id);
          setVersion("");
        }}
      />
      {agent !== null && <VersionField agentId={agent.id} value={version} onChange={setVersion} />}
      <PickerField
        label="Judge"
        hint="For cases that a judge decides and that name none."
        error={judgeError}
        value={judgeId}
        choices={[{ value: "", label: "None" }, ...named]}
        onSearch={search}
        onChange={(id) => {
          setJudgeId(id);
          reset();
        }}
      />
      <Checkbox
        label="Keep the conversations"
        hint="As swarms, with their traces."
        isChecked={isStored}
        onChange={setStored}
      />
      {way === "command" ? (
        <RunCommand datasetId={dataset.id} agentId={agent?.id ?? ""} {...{ version, judgeId, isStored }} />
      ) : (
        <StartHere
          failure={judgeError === undefined ? failure : null}
          isBusy={isBusy || isDone}
          onStart={agent === null ? null : () => void start(agent)}
        />
      )}
    </div>
  );
}

interface StartHereProps {
  readonly failure: Failure | null;
  readonly isBusy: boolean;
  /** Null means that no agent is chosen. */
  readonly onStart: (() => void) | null;
}

/** Starts a run in this tab. */
function StartHere({ failure, isBusy, onStart }: StartHereProps) {
  return (
    <>
      <p className="text-sm text-ink-faint">
        Every answer counts as an AI response of yours, and tools really run. The run stops when you close or reload
        this tab; other pages of the console can be used meanwhile.
      </p>
      {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
      <div className="flex justify-end">
        <Button
          variant="primary"
          icon={<Play />}
          isBusy={isBusy}
          disabled={onStart === null}
          onClick={() => onStart?.()}
        >
          Start run
        </Button>
      </div>
    </>
  );
}

interface VersionFieldProps {
  readonly agentId: string;
  /** Empty for the latest. */
  readonly value: string;
  onChange(version: string): void;
}

function VersionField({ agentId, value, onChange }: VersionFieldProps) {
  const { rows: versions = [] } = useAgentVersions(agentId);
  return (
    <SelectField
      label="Version"
      value={value}
      choices={[
        { value: "", label: "The latest" },
        ...versions.map(({ number }) => ({ value: String(number), label: `Version ${number}` })),
      ]}
      onChange={onChange}
    />
  );
}

interface RunCommandProps {
  readonly datasetId: string;
  readonly agentId: string;
  /** Empty for the latest. */
  readonly version: string;
  /** Empty for none. */
  readonly judgeId: string;
  readonly isStored: boolean;
}

/** The command that runs a dataset against a version of an agent. */
function RunCommand({ datasetId, agentId, version, judgeId, isStored }: RunCommandProps) {
  const words = [
    `npx swarmbase eval ${datasetId} --agent ${agentId}`,
    ...(version === "" ? [] : [`--version ${version}`]),
    ...(judgeId === "" ? [] : [`--judge ${judgeId}`]),
    ...(isStored ? ["--store"] : []),
  ];
  const { url, anonKey } = getConfig();
  const variables = [
    `export SWARMBASE_URL=${url}`,
    `export SWARMBASE_ANON_KEY=${anonKey}`,
    "export SWARMBASE_ACCESS_TOKEN=…",
  ];
  return (
    <>
      <CodeBlock label="Command" code={words.join(" ")} isWrapped />
      <CodeBlock label="Variables" code={variables.join("\n")} isWrapped />
      <p className="text-sm text-ink-faint">
        On your computer or in CI. The access token is an <Link to="/account/keys">API key</Link> with the scopes read,
        write and run. Results appear here as they come.
      </p>
    </>
  );
}
