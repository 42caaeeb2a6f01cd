import { CheckCheck, Pause, Play } from "lucide-react";
import { useBulk } from "../../../data/bulk.ts";
import { markAllRead } from "../../../data/read-positions.ts";
import type { SwarmSummary } from "../../../data/swarms.ts";
import { BULK_DELETE, BulkBar } from "../../../components/bulk-bar.tsx";
import type { Selection } from "../../../components/use-selection.ts";

/** What can be done with several swarms. The service rejects what only their owner or an admin may do. */
export function SwarmBulkBar({ selection }: { readonly selection: Selection<SwarmSummary> }) {
  const bulk = useBulk("swarms");
  return (
    <BulkBar<SwarmSummary>
      selection={selection}
      nouns={["swarm", "swarms"]}
      actions={[
        {
          label: "Mark as read",
          past: "marked as read",
          icon: <CheckCheck />,
          explanation: "On all your devices.",
          run: markAllRead,
        },
        {
          label: "Activate",
          past: "activated",
          icon: <Play />,
          explanation: "Agents answer again.",
          run: (rows) => bulk.update(rows, { status: "active" }),
        },
        {
          label: "Pause",
          past: "paused",
          icon: <Pause />,
          explanation: "People can still write, and agents do not answer until the swarms are activated.",
          run: (rows) => bulk.update(rows, { status: "paused" }),
        },
        {
          ...BULK_DELETE,
          explanation: "All their messages and runs are deleted, for all members. This cannot be undone.",
          run: bulk.remove,
        },
      ]}
    />
  );
}
