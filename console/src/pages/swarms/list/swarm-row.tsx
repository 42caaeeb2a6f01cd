import type { RunStatus } from "@swarmbase/sdk";
import { Bot, Users } from "lucide-react";
import { Link } from "react-router";
import { countUnread } from "../../../data/read-positions.ts";
import { MAX_FACES, type SwarmSummary } from "../../../data/swarms.ts";
import { Avatar } from "../../../components/avatar.tsx";
import { Badge } from "../../../components/badge.tsx";
import { formatCount } from "../../../components/formats.ts";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { SelectBox } from "../../../components/select-box.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { SwarmStatusBadge } from "../swarm-status-badge.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";

interface SwarmRowProps {
  readonly swarm: SwarmSummary;
  /** The status of an unfinished run, if there is one. */
  readonly running: RunStatus | undefined;
  /** A tool call waits for a decision of the user. */
  readonly needsUser: boolean;
  readonly isSelected: boolean;
  onToggle(id: string, isRange: boolean): void;
}

export function SwarmRow({ swarm, running, needsUser, isSelected, onToggle }: SwarmRowProps) {
  const { id, name, description, status, swarm_agents: swarmAgents, messages, created_at: createdAt } = swarm;
  const [[{ count: people }], [{ count: agents }]] = [swarm.people, swarm.agents];
  const [last] = messages;
  return (
    <div data-row className="relative border-b border-line hover:bg-hover [[role=listitem]:last-child>&]:border-b-0">
      <Link to={`/swarms/${id}`} aria-label={name} className="absolute inset-0 -outline-offset-2" />
      <div className="pointer-events-none relative flex items-center gap-4 px-4 py-3.5 [&_time]:pointer-events-auto">
        <SelectBox name={name} isSelected={isSelected} onToggle={(isRange) => onToggle(id, isRange)} />
        <Faces swarmAgents={swarmAgents} count={agents} />
        <div className="grid min-w-0 flex-1 gap-0.5">
          <div className="flex min-w-0 items-center gap-2.5">
            <span className="truncate font-semibold">{name}</span>
            <Unread count={countUnread(swarm)} />
            {status !== "active" && <SwarmStatusBadge status={status} />}
            <span className="hidden sm:contents">
              <Running status={running} needsUser={needsUser} />
            </span>
          </div>
          <p className="truncate text-sm text-ink-soft">
            {last === undefined ? (description ?? "No messages yet.") : <LastWords {...last} />}
          </p>
          <span className="contents sm:hidden">
            {running !== undefined && (
              <span className="pt-1">
                <Running status={running} needsUser={needsUser} />
              </span>
            )}
          </span>
        </div>
        <div className="grid shrink-0 justify-items-end gap-1 text-sm text-ink-faint">
          <RelativeTime at={last?.created_at ?? createdAt} />
          <span className="flex items-center gap-3 tabular-nums">
            <span className="flex items-center gap-1">
              <Users className="size-3.5" aria-hidden />
              {formatCount(people)}
              <span className="sr-only">{people === 1 ? "person" : "people"}</span>
            </span>
            <span className="flex items-center gap-1">
              <Bot className="size-3.5" aria-hidden />
              {formatCount(agents)}
              <span className="sr-only">{agents === 1 ? "agent" : "agents"}</span>
            </span>
          </span>
        </div>
      </div>
    </div>
  );
}

const MOST_UNREAD = 99;

function Unread({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span className="inline-block min-w-5 shrink-0 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-on-accent tabular-nums">
      {count > MOST_UNREAD ? `${MOST_UNREAD}+` : count}
      <span className="sr-only"> unread</span>
    </span>
  );
}

function LastWords({ content, sender_name: sender }: SwarmSummary["messages"][number]) {
  return (
    <>
      <span className="text-ink-faint">{sender}: </span>
      {content === null ? <em>deleted</em> : toPlainLine(content)}
    </>
  );
}

function Running({ status, needsUser }: { readonly status: RunStatus | undefined; readonly needsUser: boolean }) {
  if (status === undefined) return null;
  if (status === "requires_action")
    return needsUser ? <StatusBadge status="requires_action" /> : <StatusBadge status="queued" word="Waiting" />;
  return <StatusBadge status="running" word={status === "queued" ? "Queued" : "Responding"} />;
}

/** More digits do not fit beside the avatars. */
const MOST_FURTHER = 99;

interface FacesProps {
  readonly swarmAgents: SwarmSummary["swarm_agents"];
  readonly count: number;
}

function Faces({ swarmAgents, count }: FacesProps) {
  const cards = swarmAgents.flatMap(({ agent_cards: card }) => (card === null ? [] : [card]));
  if (cards.length === 0)
    return (
      <span aria-hidden className="hidden w-28 shrink-0 sm:block">
        <span className="block size-9 rounded-[30%] border border-dashed border-line-strong" />
      </span>
    );
  return (
    <span aria-hidden className="hidden w-28 shrink-0 items-center sm:flex">
      {cards.map(({ id, name }, index) => (
        <span key={id} className={index === 0 ? "" : "-ml-3"}>
          <span className="block rounded-[30%] ring-2 ring-surface">
            <Avatar name={name} seed={id} shape="agent" />
          </span>
        </span>
      ))}
      {count > MAX_FACES && (
        <span className="-ml-2 ring-2 ring-surface rounded-full">
          <Badge>{count - MAX_FACES > MOST_FURTHER ? "…" : `+${count - MAX_FACES}`}</Badge>
        </span>
      )}
    </span>
  );
}
