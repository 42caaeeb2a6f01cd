import type { Database } from "@swarmbase/sdk";
import type { ReactNode } from "react";
import { Building2, Eye, EyeOff, type LucideIcon, ShieldQuestion, Wallet, Waypoints } from "lucide-react";
import { Banner } from "./banner.tsx";

export type PublishedAgent = Database["public"]["Views"]["published_agents"]["Row"];
/** Of an offer, the provider and the receivers are not known yet. */
export type Terms = Pick<PublishedAgent, "payer" | "approver" | "transcripts"> &
  Partial<Pick<PublishedAgent, "provider" | "receivers">>;

/** What somebody must know before the first message to the agent of somebody else. */
export function AgentTerms({ terms }: { readonly terms: Terms }) {
  const { payer, approver, transcripts, receivers = [], provider = null } = terms;
  const isRead = transcripts === "owner";
  return (
    <section aria-label="Before you write" className="grid grid-cols-1 gap-2.5">
      {isRead && <Banner tone="warning">The owner of the agent reads everything in this conversation.</Banner>}
      <ul className="grid gap-1.5 text-sm text-ink-soft">
        <Term Icon={isRead ? Eye : EyeOff}>
          {isRead
            ? "Who reads: you, and the owner of the agent."
            : "Who reads: you. The owner of the agent sees how often you ask and what it costs, not what is written."}
        </Term>
        <Term Icon={Wallet}>
          {payer === "asker" ? "Who pays: you, from your own budget." : "Who pays: the owner of the agent."}
        </Term>
        <Term Icon={ShieldQuestion}>
          {approver === "asker"
            ? "Who approves tool calls: you."
            : "Who approves tool calls: the owner of the agent, who then sees the arguments of the call."}
        </Term>
        {provider !== null && <Term Icon={Building2}>The answers come from {provider}, which receives the text.</Term>}
        {receivers.length > 0 && (
          <Term Icon={Waypoints}>Tools and checks can send text to {receivers.join(", ")}.</Term>
        )}
      </ul>
    </section>
  );
}

function Term({ Icon, children }: { readonly Icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      <Icon className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </li>
  );
}
