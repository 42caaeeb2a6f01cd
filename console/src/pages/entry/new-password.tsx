import { useNavigate } from "react-router";
import { setPassword } from "../../data/entry.ts";
import { endRecovery, useSessionState } from "../../data/session.ts";
import { useToast } from "../../components/toast.tsx";
import { AccountForm } from "./account-form.tsx";
import { LinkFailed } from "./link-failed.tsx";

/** The page that a recovery link opens. */
export function NewPassword() {
  const { session } = useSessionState();
  const toast = useToast();
  const navigate = useNavigate();
  if (session === null) return <LinkFailed again="/recover" />;
  return (
    <AccountForm
      title="Set a new password"
      description={<>For {session.user.email ?? "your account"}. All other sessions end.</>}
      action="Set password"
      fields={["newPassword"]}
      onSubmit={async ({ newPassword }) => {
        await setPassword(newPassword);
        endRecovery();
        toast({ text: "The new password is set." });
        await navigate("/", { replace: true });
      }}
    />
  );
}
