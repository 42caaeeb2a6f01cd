import { KeyRound, Plus, ShieldCheck, Smartphone } from "lucide-react";
import { useState } from "react";
import {
  type Factor,
  useFactors,
  useRecoveryCodesLeft,
  useRemoveFactor,
  useRenewRecoveryCodes,
} from "../../data/factors.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { ListRow, RowList } from "../../components/list-row.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { EnrolDialog } from "./enrol-dialog.tsx";

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

/** Codes that stand in for a lost authenticator app. */
function RecoveryCodes() {
  const left = useRecoveryCodesLeft();
  const renew = useRenewRecoveryCodes();
  const [isAsking, setAsking] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>([]);
  if (left === undefined) return null;
  const create = async () => {
    setAsking(false);
    setCodes((await renew.run(left !== null)) ?? []);
  };
  return (
    <div className="grid gap-3 border-t border-line pt-4">
      <p className="text-sm text-ink-soft">
        {left === null
          ? "Create recovery codes for the case that you lose your phone. Each works once instead of a code of the app."
          : `You have ${left} unused recovery ${left === 1 ? "code" : "codes"} for the case that you lose your phone.`}
      </p>
      {renew.failure !== null && <Banner tone="bad">{renew.failure.message}</Banner>}
      <div>
        <Button
          icon={<KeyRound />}
          isBusy={renew.isBusy}
          onClick={() => (left === null ? void create() : setAsking(true))}
        >
          {left === null ? "Create recovery codes" : "Replace recovery codes"}
        </Button>
      </div>
      <ActionDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Replace the recovery codes?"
        action="Replace"
        onAction={() => void create()}
      >
        <p className="text-ink-soft">The codes that you have now stop working.</p>
      </ActionDialog>
      <Dialog
        isOpen={codes.length > 0}
        onClose={() => setCodes([])}
        title="Your recovery codes"
        size="small"
        footer={
          <>
            <CopyButton text={codes.join("\n")} label="Copy the codes" showsLabel />
            <Button variant="primary" onClick={() => setCodes([])}>
              I have stored them
            </Button>
          </>
        }
      >
        <div className="grid gap-3">
          <Banner tone="warning">Store them now. They are not shown again.</Banner>
          <ul className="grid gap-1 font-mono text-sm sm:grid-cols-2">
            {codes.map((code) => (
              <li key={code}>{code.replace(/.{4}(?=.)/g, "$&-")}</li>
            ))}
          </ul>
        </div>
      </Dialog>
    </div>
  );
}
