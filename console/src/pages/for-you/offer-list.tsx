import { Check, X } from "lucide-react";
import { type AgentOffer, useAnswerOffer } from "../../data/published-agents.ts";
import { AgentTerms } from "../../components/agent-terms.tsx";
import { Button } from "../../components/button.tsx";
import { AgentHead } from "../../components/first-message.tsx";
import { formatCount, formatMoney } from "../../components/formats.ts";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useToast } from "../../components/toast.tsx";

/** Agents that wait for an answer of the user; nothing when there are none. */
export function OfferList({ offers }: { readonly offers: readonly AgentOffer[] }) {
  if (offers.length === 0) return null;
  return (
    <section aria-label="Offers" className="grid grid-cols-1 gap-3">
      {offers.map((offer) => (
        <Offer key={offer.id} offer={offer} />
      ))}
    </section>
  );
}

function Offer({ offer }: { readonly offer: AgentOffer }) {
  const { id, agent_id: agentId, name, description, runs_per_day: runs, cost_per_day: cost, expires_at: until } = offer;
  const answer = useAnswerOffer();
  const toast = useToast();
  const run = async (isAccepted: boolean) => {
    if ((await answer.run({ id, isAccepted })) === null)
      toast({ text: "The offer could not be answered. Try again.", tone: "bad" });
    else toast({ text: isAccepted ? `You can ask ${name} now.` : `Declined ${name}.` });
  };
  const limits = [
    runs === null ? null : `${formatCount(runs)} runs a day`,
    cost === null ? null : `${formatMoney(cost)} a day`,
  ].filter((limit) => limit !== null);
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
        <Button
          size="small"
          icon={<X />}
          disabled={answer.isBusy}
          aria-label={`Decline ${name}`}
          onClick={() => void run(false)}
        >
          Decline
        </Button>
        <Button
          size="small"
          variant="primary"
          icon={<Check />}
          isBusy={answer.isBusy}
          aria-label={`Accept ${name}`}
          onClick={() => void run(true)}
        >
          Accept
        </Button>
      </div>
    </article>
  );
}
