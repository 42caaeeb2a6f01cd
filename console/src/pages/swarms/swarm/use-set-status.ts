import type { SwarmStatus } from "@swarmbase/sdk";
import { useCallback } from "react";
import { useUpdateSwarm } from "../../../data/swarms.ts";
import { useToast } from "../../../components/toast.tsx";
import { STATUS_WORDS } from "../words.ts";
import { useRoom } from "./room-context.ts";

/** Done at once, and undone from the message that says so. */
export function useSetStatus(): (status: SwarmStatus) => void {
  const { swarm } = useRoom();
  const { run } = useUpdateSwarm();
  const show = useToast();
  const { id, status: before } = swarm;
  return useCallback(
    (status) => {
      void run({ id, change: { status } }).then((done) => {
        if (done === null) return show({ text: "The status could not be changed.", tone: "bad" });
        return show({
          text: `The swarm is ${STATUS_WORDS[status].toLowerCase()} now.`,
          action: { label: "Undo", run: () => void run({ id, change: { status: before } }) },
        });
      });
    },
    [run, show, id, before],
  );
}
