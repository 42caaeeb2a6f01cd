import { Ban, KeyRound, LogOut, RotateCcw } from "lucide-react";
import { useState } from "react";
import { type OperatedUser, type UserAction, useUserAction } from "../../../data/operator-users.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/form-fields.tsx";
import { useToast } from "../../../components/toast.tsx";

interface ActionTexts {
  readonly label: string;
  readonly explanation: string;
  readonly done: string;
}

const TEXTS: Readonly<Record<UserAction, ActionTexts>> = {
  disable: {
    label: "Disable",
    explanation: "Ends all sessions and API keys at once, and pauses the webhooks. The rows of the user stay.",
    done: "The user is disabled.",
  },
  enable: { label: "Enable", explanation: "The user can sign in again.", done: "The user is enabled." },
  "sign-out": {
    label: "Sign out everywhere",
    explanation: "Ends all sessions. The user can sign in again.",
    done: "The user is signed out.",
  },
  "reset-factors": {
    label: "Reset factors",
    explanation: "Removes the authenticator apps, so that the password alone signs in. Verify who asks for it.",
    done: "The factors are removed.",
  },
};

interface UserActionsProps {
  readonly user: OperatedUser;
  readonly hasFactors: boolean;
}

export function UserActions({ user, hasFactors }: UserActionsProps) {
  const [asked, setAsked] = useState<UserAction | null>(null);
  const [reason, setReason] = useState("");
  const act = useUserAction(user.id);
  const toast = useToast();
  const close = () => {
    act.reset();
    setReason("");
    setAsked(null);
  };
  const run = async (action: UserAction) => {
    if ((await act.run({ action, reason: reason.trim() })) === null) return;
    toast({ text: TEXTS[action].done });
    close();
  };
  const ask = (action: UserAction) => () => setAsked(action);
  return (
    <>
      <Button icon={<LogOut />} onClick={ask("sign-out")}>
        {TEXTS["sign-out"].label}
      </Button>
      {hasFactors && !user.is_operator && (
        <Button icon={<KeyRound />} onClick={ask("reset-factors")}>
          {TEXTS["reset-factors"].label}
        </Button>
      )}
      {!user.is_operator &&
        (user.banned_until === null ? (
          <Button variant="danger" icon={<Ban />} onClick={ask("disable")}>
            {TEXTS.disable.label}
          </Button>
        ) : (
          <Button variant="primary" icon={<RotateCcw />} onClick={ask("enable")}>
            {TEXTS.enable.label}
          </Button>
        ))}
      {asked !== null && (
        <ActionDialog
          isOpen
          onClose={close}
          title={`${TEXTS[asked].label}: ${user.email ?? user.id}`}
          action={TEXTS[asked].label}
          isDangerous={asked === "disable"}
          isBusy={act.isBusy}
          isForm
          onAction={() => void run(asked)}
        >
          <p>{TEXTS[asked].explanation}</p>
          <TextField
            label="Reason"
            isOptional={asked !== "disable"}
            hint="In the audit log; the user does not see it."
            error={act.failure?.message}
            required={asked === "disable"}
            maxLength={500}
            autoComplete="off"
            value={reason}
            onChange={setReason}
          />
        </ActionDialog>
      )}
    </>
  );
}
