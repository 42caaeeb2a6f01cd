import { useNavigate } from "react-router";
import { changeColumn } from "../../../data/playground.ts";
import { type AgentValues, type Column, isSameValues, pickValues } from "../../../data/playground-state.ts";
import type { Agent, AgentDraft } from "../../../data/agents.ts";
import { useSaveEdit } from "../../../data/save-edit.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { useToast } from "../../../components/toast.tsx";
import type { ComparedVersion } from "../compare-versions.ts";
import { VersionDifferences } from "../version-differences.tsx";
import type { ReadyColumn } from "./column-state.ts";
import { applyChanges } from "./column-values.ts";

interface SaveVersionProps extends Pick<ReadyColumn, "agent" | "base"> {
  readonly column: Column;
  onClose(): void;
}

/** Writes the values of the column to its agent. */
export function SaveVersion({ column, agent, base, onClose }: SaveVersionProps) {
  const save = useSaveEdit<Agent, Partial<AgentDraft>>("agents");
  const toast = useToast();
  const navigate = useNavigate();
  const { id, changes, seen, version } = column;
  const [current, values] = [pickValues(agent), applyChanges(base, changes)];
  const isSame = isSameValues(applyChanges(current, {}), values);
  const hasChanged = seen !== null && !isSameValues(seen, current);
  const submit = async () => {
    const saved = await save.run({ base: agent, change: values });
    if (saved === null) return;
    changeColumn(id, { version: null, changes: {}, seen: pickValues(saved) });
    onClose();
    toast({
      text: `${agent.name} has a new version.`,
      action: { label: "History", run: () => void navigate(`/agents/${agent.id}/history`) },
    });
  };
  return (
    <ActionDialog
      size="medium"
      isOpen
      onClose={onClose}
      title={`Save as a version of ${agent.name}`}
      description={`${agent.name} gets the values of this column, and answers with them from its next turn on. Earlier versions can be restored.`}
      action={hasChanged ? "Save anyway" : "Save"}
      isBusy={save.isBusy}
      isDisabled={isSame}
      onAction={() => void submit()}
    >
      <div className="grid grid-cols-1 gap-4">
        {hasChanged && (
          <Banner tone="warning">
            {agent.name} was changed after this column was asked. What differs below is replaced, and stays in the
            history.
          </Banner>
        )}
        <VersionDifferences
          from={toCompared(current)}
          to={toCompared(values)}
          about="now and in this column"
          same={`The column is the same as ${agent.name} now.`}
        />
        {version !== null && (
          <p className="text-sm text-ink-faint">The tools and guardrails of {agent.name} stay as they are.</p>
        )}
        {save.failure !== null && <Banner tone="bad">{save.failure.message}</Banner>}
      </div>
    </ActionDialog>
  );
}

/** Tools and guardrails are not part of a column. */
function toCompared(values: AgentValues): ComparedVersion {
  return { ...values, tools: [], guardrails: [] };
}
