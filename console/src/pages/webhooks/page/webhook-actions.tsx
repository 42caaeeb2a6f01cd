import { Ellipsis, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useDeleteRow, useUpdateRow } from "../../../data/changed-rows.ts";
import type { Webhook } from "../../../data/webhooks.ts";
import { Button } from "../../../components/button.tsx";
import { useCommands } from "../../../components/commands.tsx";
import { DeleteByName } from "../../../components/delete-by-name.tsx";
import { DropdownMenu } from "../../../components/dropdown-menu.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { useToast } from "../../../components/toast.tsx";
import { WebhookCode } from "../webhook-code.tsx";
import { TestDialog } from "./test-dialog.tsx";

interface WebhookActionsProps {
  readonly webhook: Webhook;
  /** Called when a test was sent. */
  onSent(): void;
}

export function WebhookActions({ webhook, onSent }: WebhookActionsProps) {
  const [open, setOpen] = useState<"test" | "delete" | null>(null);
  const navigate = useNavigate();
  const toggle = useToggle(webhook);
  const { id, name, is_active: isActive } = webhook;
  useCommands([
    {
      id: "webhook.test",
      label: `Test ${name}`,
      group: "This webhook",
      icon: <Send />,
      keys: "t",
      run: () => setOpen("test"),
    },
    {
      id: "webhook.edit",
      label: `Edit ${name}`,
      group: "This webhook",
      icon: <Pencil />,
      keys: "e",
      run: () => void navigate(`/webhooks/${id}/edit`),
    },
    {
      id: "webhook.delete",
      label: `Delete ${name}`,
      group: "This webhook",
      icon: <Trash2 />,
      run: () => setOpen("delete"),
    },
  ]);
  return (
    <>
      <WebhookCode webhook={webhook} />
      <ButtonLink to={`/webhooks/${id}/edit`} icon={<Pencil />}>
        Edit
      </ButtonLink>
      {isActive ? (
        <Button variant="primary" icon={<Send />} onClick={() => setOpen("test")}>
          Send a test
        </Button>
      ) : (
        <Button variant="primary" icon={<Power />} onClick={() => void toggle()}>
          Enable
        </Button>
      )}
      <DropdownMenu
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        groups={[
          [{ label: isActive ? "Disable" : "Enable", icon: <Power />, onSelect: () => void toggle() }],
          [{ label: "Delete …", icon: <Trash2 />, isDangerous: true, onSelect: () => setOpen("delete") }],
        ]}
      />
      <TestDialog webhook={webhook} isOpen={open === "test"} onClose={() => setOpen(null)} onSent={onSent} />
      <DeleteByName
        row={webhook}
        noun="webhook"
        remove={useDeleteRow("webhooks")}
        listPath="/webhooks"
        isOpen={open === "delete"}
        onClose={() => setOpen(null)}
      >
        Its deliveries and attempts are deleted, and waiting deliveries are not sent. This cannot be undone.
      </DeleteByName>
    </>
  );
}

function useToggle({ id, name, is_active: isActive }: Webhook): () => Promise<void> {
  const update = useUpdateRow<Pick<Webhook, "id" | "is_active">>("webhooks");
  const toast = useToast();
  return async () => {
    const saved = await update.run({ id, is_active: !isActive });
    if (saved === null)
      return toast({ text: `${name} could not be ${isActive ? "disabled" : "enabled"}.`, tone: "bad" });
    return toast({
      text: isActive ? `${name} is disabled. Waiting deliveries are held.` : `${name} is enabled.`,
      action: { label: "Undo", run: () => void update.run({ id, is_active: isActive }) },
    });
  };
}
