import { type AgentOffer, useAnswerOffer } from "../../data/published-agents.ts";
import { AgentTerms } from "../../components/agent-terms.tsx";
import { AnswerButtons } from "../../components/answer-buttons.tsx";
import { AgentHead } from "../../components/first-message.tsx";
import { formatCount, formatMoney } from "../../components/formats.ts";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useToast } from "../../components/toast.tsx";

/** An agent that waits for an answer of the user. */
export function Offer({ offer }: { readonly offer: AgentOffer }) {
  const { id, agent_id: agentId, name, description, runs_per_day: runs, cost_per_day: cost, expires_at: until } = offer;
  const answer = useAnswerOffer();
  const toast = useToast();
  const run = async (isAccepted: boolean) => {
    if ((await answer.run({ id, isAccepted })) === null)
      toast({ text: "The offer could not be answered. Try again.", tone: "bad" });
    else toast({ text: isAccepted ? `You can ask ${name} now.` : `Declined ${name}.` });
  };
  const limits = [
    runs !== null && `${formatCount(runs)} runs a day`,
    cost !== null && `${formatMoney(cost)} a day`,
  ].filter((limit) => limit !== false);
  return (
    <article
      aria-label={`Offer of ${name}`}
      className="grid min-w-0 gap-3 rounded-lg border border-accent bg-accent-soft p-4"
    >
      <AgentHead agent={{ ...offer, id: agentId }} />
      {description !== null && <p className="line-clamp-3 wrap-anywhere text-ink-soft">{description}</p>}
      <AgentTerms terms={offer} />
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 text-sm text-ink-soft">
          {limits.length > 0 && `At most ${limits.join(", ")}. `}
          {until !== null && (
            <>
              Ends <RelativeTime at={until} />.
            </>
          )}
        </p>
        <AnswerButtons what={name} isBusy={answer.isBusy} onAnswer={(isAccepted) => void run(isAccepted)} />
      </div>
    </article>
  );
}
