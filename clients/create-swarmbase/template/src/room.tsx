import { useSwarm } from "@swarmbase/react";
import { useEffect, useRef } from "react";
import { AgentList } from "./agent-list.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { Composer } from "./composer.tsx";
import { MessageLine } from "./message-line.tsx";
import { supabase } from "./supabase.ts";

export function Room({ swarmId, userId }: { readonly swarmId: string; readonly userId: string }) {
  const swarm = useSwarm(supabase, swarmId);
  const end = useRef<HTMLDivElement>(null);
  const { messages, approvals } = swarm;
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [messages, approvals]);

  return (
    <div className="room">
      <header>
        <h1>
          <img src="/icon.svg" alt="" /> Team lunch
        </h1>
        <span className="presence" data-live={swarm.isLive}>
          {swarm.isLive ? `${swarm.present.length} here` : "connecting…"}
        </span>
        <button className="link" onClick={() => void supabase.auth.signOut()}>
          Sign out
        </button>
      </header>
      <AgentList swarmId={swarmId} messages={messages} approvals={approvals} />
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
        {swarm.status === "ready" && messages.length === 0 && (
          <p className="empty">Nobody has said anything yet. Ask what there is for lunch.</p>
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
        isResponding={swarm.isResponding}
        onSend={(text) => void swarm.send(text)}
        onStop={() => void swarm.cancel()}
      />
    </div>
  );
}
