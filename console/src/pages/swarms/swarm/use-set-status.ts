import type { SwarmStatus } from "@swarmbase/sdk";
import { useCallback } from "react";
import { useUpdateRow } from "../../../data/changed-rows.ts";
import { useToast } from "../../../components/toast.tsx";
import { STATUS_LABELS } from "../labels.ts";
import { useSwarmContext } from "./swarm-context.ts";

/** Changes the status and offers Undo. */
export function useSetStatus(): (status: SwarmStatus) => void {
  const { swarm } = useSwarmContext();
  const { run } = useUpdateRow<{ readonly id: string; readonly status: SwarmStatus }>("swarms");
  const show = useToast();
  const { id, status: before } = swarm;
  return useCallback(
    (status) => {
      void run({ id, status }).then((done) => {
        if (done === null) return show({ text: "The status could not be changed.", tone: "bad" });
        return show({
          text: `The swarm is ${STATUS_LABELS[status].toLowerCase()} now.`,
          action: { label: "Undo", run: () => void run({ id, status: before }) },
        });
      });
    },
    [run, show, id, before],
  );
}
