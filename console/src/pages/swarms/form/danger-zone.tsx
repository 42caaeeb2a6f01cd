import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { DeleteSwarm } from "./delete-swarm.tsx";

export function DangerZone() {
  const { swarm } = useSwarmContext();
  const [isOpen, setOpen] = useState(false);
  return (
    <section
      aria-label="Delete the swarm"
      className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-bad bg-surface p-4 sm:p-5"
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-0.5">
        <h2 className="text-lg font-semibold">Delete the swarm</h2>
        <p className="text-ink-soft">Deletes the swarm and its messages for all members. You can archive it instead.</p>
      </div>
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete …
      </Button>
      <DeleteSwarm swarm={swarm} isOpen={isOpen} onClose={() => setOpen(false)} />
    </section>
  );
}
