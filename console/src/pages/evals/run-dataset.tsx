import { Play } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { EvalDataset } from "../../data/eval-datasets.ts";
import { JUDGE_FIELD, useStartEval } from "../../data/eval-runner.ts";
import type { Failure } from "../../data/failure.ts";
import { useClearOnReconnect } from "../../data/use-clear-on-reconnect.ts";
import { useLiveTable } from "../../data/live.ts";
import { useAgentChoices } from "../../data/swarm-agents.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Link } from "../../components/link.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { Select } from "../../components/select.tsx";
import { RunCommand } from "./run-command.tsx";
import { VersionField } from "./version-field.tsx";

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
  const { rows: agents } = useAgentChoices();
  const [way, setWay] = useState<Way>("tab");
  const [chosen, setChosen] = useState("");
  const [version, setVersion] = useState("");
  const [judgeId, setJudgeId] = useState("");
  const [isStored, setStored] = useState(false);
  const { start, isStarting, failure, reset } = useStart(dataset);
  if (agents?.length === 0)
    return (
      <p className="text-ink-soft">
        You have no agent yet. <Link to="/agents/new">Make an agent</Link> first.
      </p>
    );
  const agent = agents?.find(({ id }) => id === chosen) ?? agents?.[0] ?? null;
  const named = (agents ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const judgeError = failure?.fields[JUDGE_FIELD];
  return (
    <div className="grid grid-cols-1 gap-4">
      <SegmentedControl<Way> label="Where it runs" value={way} choices={WAYS} onChange={setWay} />
      <Field label="Agent">
        <Select
          value={agent?.id ?? ""}
          choices={named}
          onChange={(id) => {
            setChosen(id);
            setVersion("");
          }}
        />
      </Field>
      {agent !== null && <VersionField agentId={agent.id} value={version} onChange={setVersion} />}
      <Field label="Judge" hint="For cases that a judge decides and that name none." error={judgeError}>
        <Select
          value={judgeId}
          choices={[{ value: "", label: "None" }, ...named]}
          onChange={(id) => {
            setJudgeId(id);
            reset();
          }}
        />
      </Field>
      <Checkbox
        label="Keep the conversations"
        hint="As swarms, with their traces."
        isChecked={isStored}
        onChange={setStored}
      />
      {way === "command" ? (
        <RunCommand datasetId={dataset.id} agentId={agent?.id ?? ""} {...{ version, judgeId, isStored }} />
      ) : (
        <>
          <p className="text-sm text-ink-faint">
            Every answer counts as an AI response of yours, and tools really run. The run stops when you close or reload
            this tab; other pages of the console can be used meanwhile.
          </p>
          {failure !== null && judgeError === undefined && <Banner tone="bad">{failure.message}</Banner>}
          <div className="flex justify-end">
            <Button
              variant="primary"
              icon={<Play />}
              isBusy={isStarting}
              disabled={agent === null}
              onClick={() =>
                agent !== null &&
                void start({
                  agent: { id: agent.id, name: agent.name },
                  version: version === "" ? null : Number(version),
                  judgeId: judgeId === "" ? null : judgeId,
                  isStored,
                })
              }
            >
              Start the run
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

type Request = Omit<Parameters<ReturnType<typeof useStartEval>>[0], "dataset">;

/** Opens the page of the run when it has started. */
function useStart({ id, name }: EvalDataset) {
  const startEval = useStartEval();
  const navigate = useNavigate();
  const [isStarting, setStarting] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  useClearOnReconnect(failure, () => setFailure(null));
  const start = async (request: Request): Promise<void> => {
    setStarting(true);
    setFailure(null);
    try {
      const runId = await startEval({ ...request, dataset: { id, name } });
      await navigate(`/evals/${id}/runs/${runId}`);
    } catch (error) {
      setFailure(error as Failure);
    } finally {
      setStarting(false);
    }
  };
  return { start, isStarting, failure, reset: () => setFailure(null) };
}
