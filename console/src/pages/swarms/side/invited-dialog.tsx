import { getConfig } from "../../../data/client.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { MAIL_IS_FILE } from "../../../components/mail-is-file.ts";

interface InvitedDialogProps {
  readonly whom: string;
  /** Null when it could not be made. */
  readonly link: string | null;
  /** Whether the link has a secret, which is shown only now. */
  readonly isSecret: boolean;
  /** Absent means that nobody was invited now, and the link replaces an earlier one. */
  onMore?(): void;
  onClose(): void;
}

/** Does not reveal whether the address has an account. */
export function InvitedDialog({ whom, link, isSecret, onMore, onClose }: InvitedDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="small"
      title={onMore === undefined ? `A new link for ${whom}` : `${whom} is invited`}
      description="They join when they accept the invitation."
      footer={
        <>
          {onMore !== undefined && <Button onClick={onMore}>Invite another</Button>}
          <Button variant="primary" onClick={onClose} data-autofocus>
            Done
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {onMore !== undefined &&
          (getConfig().mail === "smtp" ? (
            <p className="text-ink-soft">A mail with a link is on its way.</p>
          ) : (
            <Banner tone="note">{MAIL_IS_FILE}</Banner>
          ))}
        {link === null ? (
          <Banner tone="bad">The link could not be created. Create a new one in the menu of the invited person.</Banner>
        ) : (
          <div className="grid gap-1.5">
            <span className="text-sm font-medium">
              {onMore === undefined ? "Send the link to them" : "You can also send the link yourself"}
            </span>
            <span className="flex items-center gap-1">
              <span data-secret className="min-w-0 font-mono text-sm break-all">
                {link}
              </span>
              <CopyButton text={link} label="Copy the link" />
            </span>
            <span className="text-sm text-ink-faint">
              It works only for an account of {whom}.
              {isSecret && " Copy it now: it is not shown again. Give it to nobody else."}
            </span>
          </div>
        )}
      </div>
    </Dialog>
  );
}
