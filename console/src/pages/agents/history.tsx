import { Columns2, RotateCcw } from "lucide-react";
import { useState } from "react";
import { type AgentVersion, useAgentVersions, useRestoreVersion } from "../../data/agent-versions.ts";
import type { Agent } from "../../data/agents.ts";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Pager } from "../../components/pager.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { Picker } from "../../components/picker.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { Timeline } from "../../components/timeline.tsx";
import { useToast } from "../../components/toast.tsx";
import { VersionDifferences } from "./version-differences.tsx";

const COMPARISONS = [
  { value: "previous", label: "Previous" },
  { value: "current", label: "Current" },
  { value: "other", label: "Another" },
] as const;
type Comparison = (typeof COMPARISONS)[number]["value"];

/** The versions of an agent, what differs between them, and a way back. */
export function History({ agent }: { readonly agent: Agent }) {
  const { rows, hasMore, isLoadingMore, loadMore, ...read } = useAgentVersions(agent.id);
  const [comparison, setComparison] = useState<Comparison>("previous");
  const [chosen, setChosen] = useState("");
  const { restoring, restore } = useRestore(agent);
  if (rows === undefined)
    return <NotLoaded title="The versions could not be loaded." read={read} skeleton={<ListSkeleton rows={4} />} />;
  const other = rows.find(({ number }) => String(number) === chosen) ?? rows.at(-1);
  const findOther = (place: number): AgentVersion | undefined =>
    comparison === "other" ? other : comparison === "current" ? rows[0] : rows[place + 1];
  return (
    <CardSection
      title="Versions"
      description="Every change of the instructions, the model, the settings, the tools or the guardrails is a version."
    >
      <div className="mb-5 flex flex-wrap items-center gap-3">
        <span className="text-ink-soft">Compare with</span>
        <SegmentedControl<Comparison>
          label="Compare with"
          value={comparison}
          choices={COMPARISONS}
          onChange={setComparison}
        />
        {comparison === "other" && (
          <Picker
            label="Version to compare with"
            className="w-40"
            value={String(other?.number ?? "")}
            choices={rows.map(({ number }) => ({ value: String(number), label: `Version ${number}` }))}
            onChange={setChosen}
          />
        )}
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
              <Differences version={version} other={findOther(place)} />
              {place > 0 && (
                <div className="flex flex-wrap gap-2">
                  <Button
                    size="small"
                    icon={<RotateCcw />}
                    aria-label={`Restore version ${version.number}`}
                    isBusy={restoring === version.number}
                    onClick={() => void restore(version)}
                  >
                    Restore
                  </Button>
                  <ButtonLink
                    size="small"
                    icon={<Columns2 />}
                    to={`/playground?agent=${agent.id}&version=${version.number}`}
                  >
                    Compare answers
                  </ButtonLink>
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
    return <p className="text-ink-soft">The agent was created.</p>;
  if (other === undefined || other.number === version.number) return null;
  const [from, to] = version.number < other.number ? [version, other] : [other, version];
  return (
    <VersionDifferences
      from={from}
      to={to}
      about={`version ${from.number} to ${to.number}`}
      same={`The same as version ${other.number}.`}
    />
  );
}
