import { useSwarm } from "@swarmbase/react";
import { useEffect, useRef } from "react";
import { ApprovalCard } from "./approval-card.tsx";
import { Composer } from "./composer.tsx";
import { MessageLine } from "./message-line.tsx";
import { supabase } from "./supabase.ts";

export function Conversation({ swarmId, userId }: { readonly swarmId: string; readonly userId: string }) {
  const swarm = useSwarm(supabase, swarmId, { presence: false });
  const end = useRef<HTMLDivElement>(null);
  const { messages, approvals } = swarm;
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [messages, approvals]);

  return (
    <>
      <main>
        {swarm.status === "failed" && (
          <p role="alert">
            {swarm.error?.message} <button onClick={swarm.reload}>Try again</button>
          </p>
        )}
        {swarm.hasOlder && (
          <button className="link" onClick={() => void swarm.loadOlder()}>
            Older messages
          </button>
        )}
        <ol>
          {messages.map((message) => (
            <MessageLine
              key={message.key}
              message={message}
              isOwn={message.senderId === userId}
              onRetry={() => void swarm.retry(message.key)}
            />
          ))}
        </ol>
        {approvals.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} approve={swarm.approve} deny={swarm.deny} />
        ))}
        <div ref={end} className="end" />
      </main>
      <Composer
        onSend={(text) => void swarm.send(text)}
        onStop={swarm.isResponding ? () => void swarm.cancel() : undefined}
      />
    </>
  );
}
