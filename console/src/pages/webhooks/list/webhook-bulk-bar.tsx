import { Pause, Play } from "lucide-react";
import { useBulk } from "../../../data/bulk.ts";
import type { ListedWebhook } from "../../../data/webhooks.ts";
import { BULK_DELETE, BulkBar } from "../../../components/bulk-bar.tsx";
import type { Selection } from "../../../components/use-selection.ts";

export function WebhookBulkBar({ selection }: { readonly selection: Selection<ListedWebhook> }) {
  const bulk = useBulk("webhooks");
  return (
    <BulkBar
      selection={selection}
      nouns={["webhook", "webhooks"]}
      actions={[
        {
          label: "Activate",
          past: "activated",
          icon: <Play />,
          explanation: "They receive events from now on. Events of the meantime are not sent.",
          run: (rows) => bulk.update(rows, { is_active: true }),
        },
        {
          label: "Pause",
          past: "paused",
          icon: <Pause />,
          explanation: "They receive no further events until they are activated.",
          run: (rows) => bulk.update(rows, { is_active: false }),
        },
        {
          ...BULK_DELETE,
          explanation: "Their deliveries are deleted too, also those that wait for a retry. This cannot be undone.",
          run: bulk.remove,
        },
      ]}
    />
  );
}
