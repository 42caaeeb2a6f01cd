import type { Database } from "@swarmbase/sdk";
import type { ReactNode } from "react";
import { Building2, Eye, EyeOff, type LucideIcon, ShieldQuestion, UserCheck, Wallet, Waypoints } from "lucide-react";
import { Banner } from "./banner.tsx";

export type PublishedAgent = Database["public"]["Views"]["published_agents"]["Row"];
/** Of an offer, the provider, the receivers and the tools are not known yet. */
type Terms = Pick<PublishedAgent, "payer" | "approver" | "transcripts"> &
  Partial<Pick<PublishedAgent, "provider" | "receivers" | "acts_for_asker">>;

/** What somebody must know before the first message to the agent of somebody else. */
export function AgentTerms({ terms }: { readonly terms: Terms }) {
  const { payer, approver, transcripts, receivers = [], provider = null, acts_for_asker: actsForAsker = false } = terms;
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
        {actsForAsker && (
          <Term Icon={UserCheck}>
            Tools of the agent act in your name, with your rights and the accounts that you connect, or create schedules
            for you.
          </Term>
        )}
        {provider !== null && <Term Icon={Building2}>The models of {provider} receive the text.</Term>}
        {receivers.length > 0 && (
          <Term Icon={Waypoints}>Tools and checks can send text to {receivers.map(nameReceiver).join(", ")}.</Term>
        )}
      </ul>
    </section>
  );
}

/** The model chooses the address of a tool. */
function nameReceiver(receiver: string): string {
  return receiver === "https://*" ? "any website" : receiver;
}

function Term({ Icon, children }: { readonly Icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      <Icon className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </li>
  );
}
