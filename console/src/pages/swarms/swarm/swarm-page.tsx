import { type CSSProperties, type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Outlet, useParams } from "react-router";
import { useDraftsOf } from "../../../data/drafts.ts";
import { useMembers } from "../../../data/members.ts";
import { usePresence } from "../../../data/presence.ts";
import { useUser } from "../../../data/session.ts";
import { useSwarmAgents } from "../../../data/swarm-agents.ts";
import { rightsIn, type Swarm, useSwarm } from "../../../data/swarms.ts";
import { NoSuchRow, PageNotLoaded } from "../../../components/no-such-row.tsx";
import { NOTICES_ID } from "../../../components/notices.ts";
import { SwarmContext, type SwarmDetails } from "./swarm-context.ts";
import { SwarmHeader } from "./swarm-header.tsx";
import { SwarmSkeleton } from "./swarm-skeleton.tsx";

export function SwarmPage() {
  const { swarmId = "" } = useParams();
  const read = useSwarm(swarmId);
  const { rows: swarm } = read;
  const drafts = useDraftsOf(swarmId);
  if (swarm === null) return <NoSuchRow noun="swarm" drafts={drafts} />;
  if (swarm === undefined && read.failure !== null) return <PageNotLoaded noun="swarm" read={read} drafts={drafts} />;
  // The result can still be that of the previous swarm.
  if (swarm === undefined || swarm.id !== swarmId) return <SwarmSkeleton />;
  return <LoadedSwarm key={swarm.id} swarm={swarm} />;
}

function LoadedSwarm({ swarm }: { readonly swarm: Swarm }) {
  const { id: userId } = useUser();
  const swarmAgents = useSwarmAgents(swarm.id);
  const members = useMembers(swarm.id);
  const presence = usePresence(swarm.id, userId);
  const rights = useMemo(() => rightsIn(swarm, userId), [swarm, userId]);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const details: SwarmDetails = { swarm, rights, userId, swarmAgents, members, presence, isPanelOpen, setPanelOpen };
  const box = useRef<HTMLDivElement>(null);
  const above = useSpaceAbove(box);
  return (
    <SwarmContext value={details}>
      <div
        ref={box}
        data-fills
        style={{ "--above": `${above}px` } as CSSProperties}
        className="flex min-h-[calc(100dvh-3.5rem-var(--above))] flex-col lg:min-h-[calc(100dvh-var(--above))]"
      >
        <SwarmHeader />
        <Outlet />
      </div>
    </SwarmContext>
  );
}

/** The height above the page, such as banners. The page fills the rest of the screen. */
function useSpaceAbove(box: RefObject<HTMLDivElement | null>): number {
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setAbove(Math.round(element.getBoundingClientRect().top + scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    // The body is at least as high as the screen, so its size does not change when a banner disappears.
    const notices = document.getElementById(NOTICES_ID);
    if (notices !== null) observer.observe(notices);
    return () => observer.disconnect();
  }, [box]);
  return above;
}
