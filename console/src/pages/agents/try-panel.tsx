import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { Agent } from "../../data/agents.ts";
import { type Try, useRemoveTry, useStartTry, useTry } from "../../data/tries.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { Link } from "../../components/link.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { TryComposer } from "./try-composer.tsx";
import { TryRoom } from "./try-room.tsx";

/** A word with the agent alone. Agents answer in swarms, so one is made for it when the first word is said. */
export function TryPanel({ agent }: { readonly agent: Agent }) {
  const { rows, failure, reload } = useTry(agent.id);
  const start = useStartTry();
  const [begun, setBegun] = useState<{ readonly swarm: Try; readonly words: string } | null>(null);
  const swarm = begun?.swarm ?? rows?.[0] ?? null;
  if (rows === undefined)
    return failure === null ? (
      <Skeleton className="h-80 rounded-lg" />
    ) : (
      <FailureState title="What was tried before could not be loaded." message={failure.message} onRetry={reload} />
    );
  const begin = async (words: string): Promise<boolean> => {
    const made = await start.run(agent);
    if (made !== null) setBegun({ swarm: made, words });
    return made !== null;
  };
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface shadow-1">
      {swarm === null ? (
        <>
          <div className="grid justify-items-center gap-1.5 px-6 py-14 text-center">
            <h2 className="text-lg font-semibold">Say something to {agent.name}</h2>
            <p className="max-w-md text-pretty text-ink-soft">
              Agents answer in swarms. With your first words a swarm named “Try: {agent.name}” is made, with you and{" "}
              {agent.name} alone in it. You can remove it here at any time.
            </p>
          </div>
          {start.failure !== null && (
            <div className="px-4 pb-3">
              <Banner tone="bad">{start.failure.message}</Banner>
            </div>
          )}
          <TryComposer name={agent.name} isBusy={start.isBusy} onSend={begin} />
        </>
      ) : (
        <>
          <Head swarm={swarm} agent={agent} onRemoved={() => setBegun(null)} />
          <TryRoom key={swarm.id} agent={agent} swarmId={swarm.id} firstWords={begun?.words ?? null} />
        </>
      )}
    </div>
  );
}

interface HeadProps {
  readonly swarm: Try;
  readonly agent: Agent;
  onRemoved(): void;
}

function Head({ swarm, agent, onRemoved }: HeadProps) {
  const [isRemoving, setRemoving] = useState(false);
  const remove = useRemoveTry();
  const toast = useToast();
  const confirm = async () => {
    const isGone = (await remove.run(swarm.id)) !== null;
    setRemoving(false);
    if (isGone) onRemoved();
    toast(isGone ? { text: "The conversation is removed." } : { text: "It could not be removed.", tone: "bad" });
  };
  return (
    <div className="flex items-center gap-3 border-b border-line px-4 py-2 text-sm text-ink-faint">
      <p className="min-w-0 flex-1 truncate">
        In the swarm <Link to={`/swarms/${swarm.id}`}>{swarm.name}</Link>, which only you and {agent.name} are in
      </p>
      <Button variant="quiet" size="small" icon={<Trash2 />} onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <ConfirmByName
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove the conversation"
        name={swarm.name}
        action="Remove it"
        isBusy={remove.isBusy}
        onConfirm={() => void confirm()}
      >
        The swarm with all that was said in it is removed, and cannot be brought back. {agent.name} stays as it is.
      </ConfirmByName>
    </div>
  );
}
