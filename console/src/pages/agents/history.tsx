import { clsx } from "clsx";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { type AgentVersion, useAgentVersions, useRestoreVersion } from "../../data/agent-versions.ts";
import type { Agent } from "../../data/agents.ts";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { Pager } from "../../components/pager.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { Timeline } from "../../components/timeline.tsx";
import { useToast } from "../../components/toast.tsx";
import { compareVersions } from "./compare-versions.ts";

const COMPARISONS = [
  { value: "previous", label: "Previous version" },
  { value: "current", label: "Current version" },
] as const;
type Comparison = (typeof COMPARISONS)[number]["value"];

/** The versions of an agent, what differs between them, and a way back. */
export function History({ agent }: { readonly agent: Agent }) {
  const { rows, failure, reload, hasMore, isLoadingMore, loadMore } = useAgentVersions(agent.id);
  const [comparison, setComparison] = useState<Comparison>("previous");
  const { restoring, restore } = useRestore(agent);
  if (rows === undefined)
    return failure === null ? (
      <ListSkeleton rows={4} />
    ) : (
      <FailureState title="The versions could not be loaded." message={failure.message} onRetry={reload} />
    );
  return (
    <CardSection
      title="Versions"
      description="Every change of the instructions, the model, the settings or the tools is a version."
    >
      <div className="mb-5 flex flex-wrap items-center gap-3">
        <span className="text-ink-soft">Compare with</span>
        <SegmentedControl<Comparison>
          label="Compare with"
          value={comparison}
          choices={COMPARISONS}
          onChange={setComparison}
        />
      </div>
      <Timeline
        label="Versions, newest first"
        items={rows.map((version, place) => ({
          key: String(version.number),
          title: place === 0 ? `Version ${version.number} (current)` : `Version ${version.number}`,
          tone: place === 0 ? "accent" : "neutral",
          trailing: <RelativeTime at={version.created_at} />,
          children: (
            <>
              <Differences version={version} other={comparison === "current" ? rows[0] : rows[place + 1]} />
              {place > 0 && (
                <div>
                  <Button
                    size="small"
                    icon={<RotateCcw />}
                    aria-label={`Restore version ${version.number}`}
                    isBusy={restoring === version.number}
                    onClick={() => void restore(version)}
                  >
                    Restore
                  </Button>
                </div>
              )}
            </>
          ),
        }))}
      />
      <Pager shown={rows.length} hasMore={hasMore} isBusy={isLoadingMore} onMore={loadMore} noun="versions" />
    </CardSection>
  );
}

function useRestore(agent: Agent): {
  readonly restoring: number | null;
  restore(version: AgentVersion): Promise<void>;
} {
  const write = useRestoreVersion();
  const toast = useToast();
  const [restoring, setRestoring] = useState<number | null>(null);
  return {
    restoring,
    async restore(version) {
      setRestoring(version.number);
      const restored = await write.run(version);
      setRestoring(null);
      if (restored === null) return toast({ text: `Version ${version.number} could not be restored.`, tone: "bad" });
      const { missingTools } = restored;
      toast(
        missingTools.length === 0
          ? { text: `${agent.name} is as in version ${version.number}.` }
          : { text: `Restored without tools that no longer exist: ${missingTools.join(", ")}.`, tone: "bad" },
      );
    },
  };
}

/** What the later of two versions changed. */
function Differences({ version, other }: { readonly version: AgentVersion; readonly other: AgentVersion | undefined }) {
  if (version.number === 1 && (other === undefined || other.number === 1))
    return <p className="text-ink-soft">The agent was made.</p>;
  if (other === undefined) return null;
  if (other.number === version.number) return null;
  const [from, to] = version.number < other.number ? [version, other] : [other, version];
  const differences = compareVersions(from, to);
  if (differences.length === 0) return <p className="text-ink-soft">The same as version {other.number}.</p>;
  return (
    <dl className="grid gap-3">
      {differences.map(({ label, removed, added }) => (
        <div key={label} className="grid gap-1.5">
          <dt className="text-sm font-medium text-ink-soft">{label}</dt>
          <dd className="grid gap-1">
            <Lines label={`${label} of version ${from.number}`} lines={removed} isAdded={false} />
            <Lines label={`${label} of version ${to.number}`} lines={added} isAdded />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface LinesProps {
  readonly label: string;
  readonly lines: readonly string[];
  readonly isAdded: boolean;
}

function Lines({ label, lines, isAdded }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <pre
      // Scrollable regions must be focusable by keyboard.
      tabIndex={0}
      role="region"
      aria-label={label}
      className={clsx(
        "max-h-64 overflow-auto rounded-md px-3 py-2 font-mono text-sm break-words whitespace-pre-wrap",
        isAdded ? "bg-good-soft text-good" : "bg-bad-soft text-bad",
      )}
    >
      {lines.map((line) => `${isAdded ? "+" : "−"} ${line}`).join("\n")}
    </pre>
  );
}
