import { type AgentOffer, useAgentOffers, useAnswerOffer, usePublishedAgents } from "../../data/published-agents.ts";
import { CardLink } from "../../components/card.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { AgentHead } from "../../components/first-message.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { CardsSkeleton } from "../../components/skeleton.tsx";
import { AgentTerms } from "../../components/agent-terms.tsx";
import { AnswerButtons } from "../../components/answer-buttons.tsx";
import { formatCount, formatMoney } from "../../components/formats.ts";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useToast } from "../../components/toast.tsx";

const QUESTIONS = 3;

export function AgentsForYou() {
  const published = usePublishedAgents();
  const { rows } = published;
  const { rows: offers = [] } = useAgentOffers();
  return (
    <>
      <PageHeader
        title="Agents for you"
        description="Agents of others that you may ask. Each conversation is private, unless the agent says otherwise before you write."
      />
      <div className="grid grid-cols-1 gap-5">
        {offers.length > 0 && (
          <section aria-label="Offers" className="grid grid-cols-1 gap-3">
            {offers.map((offer) => (
              <Offer key={offer.id} offer={offer} />
            ))}
          </section>
        )}
        {rows === undefined ? (
          <NotLoaded title="The agents could not be loaded" read={published} skeleton={<CardsSkeleton />} />
        ) : rows.length === 0 ? (
          <EmptyState picture="agents" title="No agent is published for you">
            Whoever owns an agent can let you ask it. An agent that is offered to you alone waits here for your answer.
          </EmptyState>
        ) : (
          <ul aria-label="Agents for you" className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-3">
            {rows.map((agent) => (
              <li key={agent.id} className="grid min-w-0">
                <CardLink to={`/for-you/${agent.id}`} label={agent.name} className="grid content-start gap-3">
                  <AgentHead agent={agent} />
                  {agent.description !== null && (
                    <p className="line-clamp-3 wrap-anywhere text-ink-soft">{agent.description}</p>
                  )}
                  <ul className="grid gap-1 text-sm text-ink-faint">
                    {agent.starter_questions.slice(0, QUESTIONS).map((question) => (
                      <li key={question} className="truncate">
                        “{question}”
                      </li>
                    ))}
                  </ul>
                </CardLink>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** An agent that waits for an answer of the user. */
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
