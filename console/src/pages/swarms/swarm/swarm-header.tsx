import { clsx } from "clsx";
import { ChevronLeft, Users } from "lucide-react";
import { Link, NavLink, useMatch, useNavigate } from "react-router";
import { nameOf } from "../../../data/members.ts";
import { useOpenFlags } from "../../../data/message-writes.ts";
import { Avatar } from "../../../components/avatar.tsx";
import { formatCount } from "../../../components/formats.ts";
import { useCommands } from "../../../components/commands.tsx";
import { usePageTitle } from "../../../components/page-title.ts";
import { Tooltip } from "../../../components/tooltip.tsx";
import { writeCurl } from "../../../components/write-snippets.ts";
import { ShowCode } from "../../../components/show-code.tsx";
import { SwarmStatusBadge } from "../swarm-status-badge.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { SwarmMenu } from "./swarm-menu.tsx";

const TABS = [
  { to: ".", label: "Conversation", isEnd: true, key: "1" },
  { to: "runs", label: "Runs", isEnd: false, key: "2" },
  { to: "settings", label: "Settings", isEnd: false, key: "3" },
] as const;

/** The header of all pages of a swarm. */
export function SwarmHeader() {
  const { swarm } = useSwarmContext();
  const isTalking = useMatch("/swarms/:swarmId") !== null;
  useTabCommands(swarm.id);
  usePageTitle(swarm.name);
  return (
    <header className="sticky top-0 z-10 grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-b border-line bg-canvas px-4 sm:px-6 lg:flex lg:h-14">
      <div className="flex h-14 min-w-0 items-center gap-2 lg:flex-1">
        <Link
          to="/swarms"
          aria-label="All swarms"
          className="-ml-2 flex size-9 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
        >
          <ChevronLeft className="size-4.5" aria-hidden />
        </Link>
        <h1 tabIndex={-1} className="truncate text-lg font-semibold outline-none" title={swarm.name}>
          {swarm.name}
        </h1>
        <span className="hidden shrink-0 sm:block">
          <SwarmStatusBadge status={swarm.status} />
        </span>
      </div>
      <nav
        aria-label="Pages of the swarm"
        className="order-last col-span-2 -mx-1 flex gap-1 lg:order-none lg:mx-0 lg:h-14 lg:items-stretch"
      >
        {TABS.map(({ to, label, isEnd }) => (
          <NavLink
            key={to}
            to={to}
            end={isEnd}
            className={({ isActive }) =>
              clsx(
                "-mb-px flex h-10 items-center border-b-2 px-2.5 font-medium -outline-offset-2 lg:h-auto",
                isActive ? "border-accent text-ink" : "border-transparent text-ink-soft hover:text-ink",
              )
            }
          >
            {label}
          </NavLink>
        ))}
        {isTalking && <PanelButton />}
      </nav>
      <div className="flex items-center justify-end gap-1 lg:flex-1">
        <WhoIsHere />
        <SwarmCode />
        <SwarmMenu />
      </div>
    </header>
  );
}

function useTabCommands(swarmId: string): void {
  const navigate = useNavigate();
  useCommands(
    TABS.map(({ to, label, key }) => ({
      id: `swarm.tab.${label}`,
      label: `${label} of this swarm`,
      group: "This swarm",
      keys: key,
      run: () => void navigate(to === "." ? `/swarms/${swarmId}` : `/swarms/${swarmId}/${to}`),
    })),
  );
}

/** Opens the side panel on screens where it does not fit beside the conversation. */
function PanelButton() {
  const { swarm, rights, swarmAgents, members, setPanelOpen } = useSwarmContext();
  const { rows: flags = [] } = useOpenFlags(swarm.id, rights.canManage);
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={() => setPanelOpen(true)}
      className="my-1 ml-auto flex items-center gap-1.5 rounded-md px-2 text-sm text-ink-soft tabular-nums hover:bg-hover hover:text-ink lg:my-2.5 xl:hidden"
    >
      <Users className="size-4" aria-hidden />
      {formatCount((swarmAgents.rows?.length ?? 0) + (members.counts?.active ?? 0))}
      <span className="sr-only">agents and people: open the list</span>
      {flags.length > 0 && (
        <span role="img" aria-label={`${flags.length} flagged`} className="size-2 rounded-full bg-bad" />
      )}
    </button>
  );
}

const MAX_FACES = 4;

function WhoIsHere() {
  const {
    members,
    presence: { present },
    userId,
  } = useSwarmContext();
  const here = (members.rows ?? []).filter(({ user_id: id }) => id !== null && present.has(id));
  const others = here.filter(({ user_id: id }) => id !== userId);
  if (others.length === 0) return null;
  const names = here.map((member) => (member.user_id === userId ? "you" : nameOf(member))).join(", ");
  return (
    <Tooltip text={`Online: ${names}`}>
      <span
        role="img"
        aria-label={`Online: ${names}`}
        // The tooltip with the names must be reachable by keyboard.
        tabIndex={0}
        className="mr-1 hidden items-center rounded-full sm:flex"
      >
        <span className="mr-2 size-2 rounded-full bg-good" />
        {here.slice(0, MAX_FACES).map((member, index) => (
          <span key={member.id} className={clsx("block rounded-full ring-2 ring-canvas", index > 0 && "-ml-1.5")}>
            <Avatar name={nameOf(member)} seed={member.user_id ?? member.id} size="small" />
          </span>
        ))}
        {here.length > MAX_FACES && (
          <span className="ml-1.5 text-sm text-ink-soft tabular-nums">+{here.length - MAX_FACES}</span>
        )}
      </span>
    </Tooltip>
  );
}

/** Snippets that ask the swarm and read its messages. */
function SwarmCode() {
  const { swarm } = useSwarmContext();
  const question = { swarm_id: swarm.id, message: "Hello" };
  const curl = [
    "# ask, and stream the reply",
    writeCurl({ method: "POST", path: "/functions/v1/agent-respond", body: question, isStreamed: true }),
    "",
    "# the newest messages",
    writeCurl({ path: `/rest/v1/messages?swarm_id=eq.${swarm.id}&order=seq.desc&limit=50` }),
  ].join("\n");
  return <ShowCode title="Ask this swarm" curl={curl} supabaseJs={writeScript(swarm.id)} variant="quiet" />;
}

function writeScript(swarmId: string): string {
  return `const { data: run } = await supabase.functions.invoke("agent-respond", {
  body: { swarm_id: "${swarmId}", message: "Hello" },
});
console.log(run.responses.map(({ message }) => message.content));

const { data: messages } = await supabase
  .from("messages")
  .select()
  .eq("swarm_id", "${swarmId}")
  .order("seq", { ascending: false })
  .limit(50);`;
}
