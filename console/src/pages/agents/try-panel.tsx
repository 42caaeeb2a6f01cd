import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { Agent } from "../../data/agents.ts";
import { type Try, useRemoveTry, useStartTry, useTry } from "../../data/tries.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Link } from "../../components/link.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { TryComposer } from "./try-composer.tsx";
import { TryConversation } from "./try-conversation.tsx";

/** A conversation with one agent. The first message creates a swarm for it, because agents answer only in swarms. */
export function TryPanel({ agent }: { readonly agent: Agent }) {
  const { rows, ...read } = useTry(agent.id);
  const start = useStartTry();
  const [started, setStarted] = useState<{ readonly swarm: Try; readonly message: string } | null>(null);
  const swarm = started?.swarm ?? rows?.[0] ?? null;
  if (rows === undefined)
    return (
      <NotLoaded
        title="The conversation could not be loaded."
        read={read}
        skeleton={<Skeleton className="h-80 rounded-lg" />}
      />
    );
  const begin = async (message: string): Promise<boolean> => {
    const made = await start.run(agent);
    if (made !== null) setStarted({ swarm: made, message });
    return made !== null;
  };
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface shadow-1">
      {swarm === null ? (
        <>
          <div className="grid justify-items-center gap-1.5 px-6 py-14 text-center">
            <h2 className="text-lg font-semibold">Send {agent.name} a message</h2>
            <p className="max-w-md text-pretty text-ink-soft">
              Your first message creates a swarm named “Try: {agent.name}” with you and {agent.name}. You can delete it
              here at any time.
            </p>
          </div>
          {start.failure !== null && (
            <div className="px-4 pb-3">
              <Banner tone="bad">{start.failure.message}</Banner>
            </div>
          )}
          <TryComposer name={agent.name} place={agent.id} isBusy={start.isBusy} onSend={begin} />
        </>
      ) : (
        <>
          <Head swarm={swarm} agent={agent} onRemoved={() => setStarted(null)} />
          <TryConversation key={swarm.id} agent={agent} swarmId={swarm.id} firstMessage={started?.message ?? null} />
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
        In the swarm <Link to={`/swarms/${swarm.id}`}>{swarm.name}</Link>, with only you and {agent.name}
      </p>
      <Button variant="quiet" size="small" icon={<Trash2 />} onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <ConfirmByName
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove conversation"
        name={swarm.name}
        action="Remove it"
        isBusy={remove.isBusy}
        onConfirm={() => void confirm()}
      >
        The swarm and its messages are deleted. This cannot be undone. {agent.name} is not changed.
      </ConfirmByName>
    </div>
  );
}
