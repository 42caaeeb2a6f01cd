import { KeyRound } from "lucide-react";
import { useState } from "react";
import { useRecoveryCodesLeft, useRenewRecoveryCodes } from "../../data/factors.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";

/** Codes that stand in for a lost authenticator app. */
export function RecoveryCodes() {
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
