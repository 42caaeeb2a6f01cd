import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useDeleteAccount } from "../../data/account.ts";
import { useUser } from "../../data/session.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";

export function DeleteCard() {
  const { email = "" } = useUser();
  const [isAsking, setAsking] = useState(false);
  const deletion = useDeleteAccount();
  return (
    <CardSection
      title="Delete your account"
      description="Deletes your agents, tools, swarms, webhooks, usage and settings at once. Your messages in swarms of others stay."
    >
      <div className="grid justify-items-start gap-4">
        {deletion.failure !== null && <Banner tone="bad">{deletion.failure.message}</Banner>}
        <Button variant="danger" icon={<Trash2 />} isBusy={deletion.isBusy} onClick={() => setAsking(true)}>
          Delete your account …
        </Button>
      </div>
      <ConfirmByName
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Delete your account"
        name={email === "" ? "delete" : email}
        action="Delete everything"
        onConfirm={() => {
          setAsking(false);
          void deletion.run();
        }}
      >
        Everything that you own is deleted, also for the other members of your swarms. Download your data first if you
        want to keep it. This cannot be undone.
      </ConfirmByName>
    </CardSection>
  );
}
