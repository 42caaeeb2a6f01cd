import { Route, Routes, useNavigate } from "react-router";
import { Banner } from "../../components/banner.tsx";
import { CardSection } from "../../components/card.tsx";
import { FirstMessage } from "../../components/first-message.tsx";
import { Link } from "../../components/link.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { OneRow } from "../../components/one-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { useBeginConversation, useConversationsWith, usePublishedAgent } from "../../data/published-agents.ts";
import { AgentsForYou } from "./agents-for-you.tsx";

const CRUMBS = [{ label: "Agents for you", to: "/for-you" }];

const MALFORMED_ID = 400;

/** The agents that others let the user ask. */
export function ForYouPage() {
  return (
    <Routes>
      <Route index element={<AgentsForYou />} />
      <Route path=":id" element={<OneRow page={AskAgent} />} />
    </Routes>
  );
}

/** The page of an agent of somebody else: what to know, a first message, and the conversations so far. */
function AskAgent({ id }: { readonly id: string }) {
  const read = usePublishedAgent(id);
  const { rows: agent, failure } = read;
  const begin = useBeginConversation();
  const navigate = useNavigate();
  const isGone = agent === null || failure?.status === MALFORMED_ID;
  if (!isGone && agent === undefined)
    return <NotLoaded title="The agent could not be loaded" read={read} skeleton={<PageSkeleton />} />;
  const send = async (message: string) => {
    const swarmId = await begin.run({ agentId: id, message });
    if (swarmId !== null) await navigate(`/swarms/${swarmId}`);
  };
  return (
    <>
      <PageHeader title={agent?.name ?? "No longer for you"} crumbs={CRUMBS} />
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {agent === null || agent === undefined ? (
          <Banner tone="note">
            This agent does not answer you: its owner has withdrawn or deleted it. Conversations with it stay readable.
          </Banner>
        ) : (
          <FirstMessage
            agent={agent}
            isBusy={begin.isBusy || begin.isDone}
            failure={begin.failure?.message ?? null}
            onSend={(message) => void send(message)}
          />
        )}
        {failure === null && <Conversations agentId={id} />}
      </div>
    </>
  );
}

function Conversations({ agentId }: { readonly agentId: string }) {
  const { rows } = useConversationsWith(agentId);
  return (
    <CardSection title="Conversations">
      {rows === undefined || rows.length === 0 ? (
        <p className="text-ink-soft">Your conversations with the agent are listed here.</p>
      ) : (
        <ul aria-label="Conversations" className="grid gap-2">
          {rows.map(({ id, name, updated_at: at }) => (
            <li key={id} className="flex min-w-0 items-baseline justify-between gap-3">
              <Link to={`/swarms/${id}`} className="truncate">
                {name}
              </Link>
              <span className="shrink-0 text-sm text-ink-faint">
                <RelativeTime at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </CardSection>
  );
}
