import { type CSSProperties, type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Outlet, useParams } from "react-router";
import { useMembers } from "../../../data/members.ts";
import { usePresence } from "../../../data/presence.ts";
import { useUser } from "../../../data/session.ts";
import { usePlaces } from "../../../data/swarm-agents.ts";
import { rightsIn, type Swarm, useSwarm } from "../../../data/swarms.ts";
import { FailureState } from "../../../components/failure-state.tsx";
import { NOTICES_ID } from "../../../components/notices.ts";
import { NoSuchSwarm } from "./no-such-swarm.tsx";
import { RoomContext, type RoomDetails } from "./room-context.ts";
import { RoomHeader } from "./room-header.tsx";
import { RoomSkeleton } from "./room-skeleton.tsx";

export function Room() {
  const { swarmId = "" } = useParams();
  const { rows: swarm, failure, reload } = useSwarm(swarmId);
  if (swarm === undefined && failure !== null && failure.status !== 400)
    return <FailureState title="The swarm could not be loaded" message={failure.message} onRetry={reload} />;
  if (swarm === null || (swarm === undefined && failure !== null)) return <NoSuchSwarm />;
  // The answer of another swarm is kept on the screen until this one's is there.
  if (swarm === undefined || swarm.id !== swarmId) return <RoomSkeleton />;
  return <OpenRoom key={swarm.id} swarm={swarm} />;
}

function OpenRoom({ swarm }: { readonly swarm: Swarm }) {
  const { id: userId } = useUser();
  const places = usePlaces(swarm.id);
  const members = useMembers(swarm.id);
  const present = usePresence(swarm.id, userId);
  const rights = useMemo(() => rightsIn(swarm, userId), [swarm, userId]);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const room: RoomDetails = { swarm, rights, userId, places, members, present, isPanelOpen, setPanelOpen };
  const box = useRef<HTMLDivElement>(null);
  const above = useSpaceAbove(box);
  return (
    <RoomContext value={room}>
      <div
        ref={box}
        data-fills
        style={{ "--above": `${above}px` } as CSSProperties}
        className="flex min-h-[calc(100dvh-3.5rem-var(--above))] flex-col lg:min-h-[calc(100dvh-var(--above))]"
      >
        <RoomHeader />
        <Outlet />
      </div>
    </RoomContext>
  );
}

/** How much stands above the room, such as a word about the connection: it takes the rest of the screen and no more. */
function useSpaceAbove(box: RefObject<HTMLDivElement | null>): number {
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setAbove(Math.round(element.getBoundingClientRect().top + scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    // The body is as high as the screen at least: it does not tell that something above the room has gone.
    const notices = document.getElementById(NOTICES_ID);
    if (notices !== null) observer.observe(notices);
    return () => observer.disconnect();
  }, [box]);
  return above;
}
