import { KeyRound, Plus, ShieldCheck, Smartphone } from "lucide-react";
import { useState } from "react";
import { type Factor, useFactors, useRemoveFactor } from "../../data/factors.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { ListRow, RowList } from "../../components/list-row.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { EnrolDialog } from "./enrol-dialog.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

export function FactorsCard() {
  const { rows: factors, ...read } = useFactors();
  const [isEnrolling, setEnrolling] = useState(false);
  const [leaving, setLeaving] = useState<Factor | null>(null);
  const isOn = (factors?.length ?? 0) > 0;
  return (
    <CardSection
      title="Second factor"
      description="A code from an app on your phone, or a security key. After the password it is required for everything else, in the console and in other clients."
      action={factors !== undefined && <Badge tone={isOn ? "good" : "neutral"}>{isOn ? "On" : "Off"}</Badge>}
    >
      <div className="grid gap-4">
        {factors === undefined && (
          <NotLoaded title="Your factors could not be loaded" read={read} skeleton={<Skeleton className="h-14" />} />
        )}
        {isOn && (
          <RowList>
            {factors?.map((factor) => (
              <ListRow
                key={factor.id}
                icon={factor.kind === "app" ? <Smartphone aria-hidden /> : <KeyRound aria-hidden />}
                title={factor.name}
                details={
                  <>
                    added <RelativeTime at={factor.createdAt} />
                  </>
                }
              >
                <Button size="small" aria-label={`Remove ${factor.name}`} onClick={() => setLeaving(factor)}>
                  Remove
                </Button>
              </ListRow>
            ))}
          </RowList>
        )}
        <div>
          <Button
            variant={isOn ? "plain" : "primary"}
            icon={isOn ? <Plus /> : <ShieldCheck />}
            onClick={() => setEnrolling(true)}
          >
            {isOn ? "Add another app" : "Set up an app"}
          </Button>
        </div>
        {isOn && <RecoveryCodes />}
      </div>
      {isEnrolling && <EnrolDialog taken={factors ?? []} onClose={() => setEnrolling(false)} />}
      {leaving !== null && (
        <RemoveFactor factor={leaving} isLast={factors?.length === 1} onClose={() => setLeaving(null)} />
      )}
    </CardSection>
  );
}

interface RemoveFactorProps {
  readonly factor: Factor;
  readonly isLast: boolean;
  onClose(): void;
}

function RemoveFactor({ factor, isLast, onClose }: RemoveFactorProps) {
  const remove = useRemoveFactor();
  const toast = useToast();
  const confirm = async () => {
    const isDone = await remove.run(factor.id);
    onClose();
    if (isDone === null)
      toast({ text: "The factor could not be removed. Sign in again with a code and retry.", tone: "bad" });
    else toast({ text: `${factor.name} is removed.` });
  };
  return (
    <ConfirmByName
      isOpen
      onClose={onClose}
      title={`Remove ${factor.name}`}
      name={factor.name}
      action="Remove"
      isBusy={remove.isBusy}
      onConfirm={() => void confirm()}
    >
      {isLast
        ? "This is your only factor. Without it, the password is enough to sign in, and your recovery codes are removed."
        : "Its codes will no longer be accepted. To use it again, set it up again."}
    </ConfirmByName>
  );
}
