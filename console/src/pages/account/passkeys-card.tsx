import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { type Passkey, useAddPasskey, usePasskeys, useRemovePasskey, useRenamePasskey } from "../../data/passkeys.ts";
import { useSignInWays } from "../../data/sign-in-ways.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { ListRow, RowList } from "../../components/list-row.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";

const MAX_NAME = 120;

/** Shown where the service has passkeys and the browser supports them. */
export function PasskeysCard() {
  const hasPasskeys = useSignInWays()?.hasPasskeys === true;
  const { rows: passkeys, failure } = usePasskeys(hasPasskeys);
  const [edited, setEdited] = useState<Passkey | null>(null);
  const add = useAddPasskey();
  const problem = failure ?? add.failure;
  if (!hasPasskeys) return null;
  return (
    <CardSection
      title="Passkeys"
      description="Sign in without a password: with a fingerprint, a face, a PIN or a security key."
    >
      <div className="grid gap-4">
        {problem !== null && <Banner tone="bad">{problem.message}</Banner>}
        {passkeys !== undefined && passkeys.length > 0 && (
          <RowList>
            {passkeys.map((passkey) => (
              <ListRow
                key={passkey.id}
                icon={<KeyRound aria-hidden />}
                title={nameOf(passkey)}
                details={
                  <>
                    added <RelativeTime at={passkey.created_at} />
                    {passkey.last_used_at !== undefined && ", used "}
                    {passkey.last_used_at !== undefined && <RelativeTime at={passkey.last_used_at} />}
                  </>
                }
              >
                <Button size="small" aria-label={`Edit ${nameOf(passkey)}`} onClick={() => setEdited(passkey)}>
                  Edit
                </Button>
              </ListRow>
            ))}
          </RowList>
        )}
        <div>
          <Button icon={<Plus />} isBusy={add.isBusy} onClick={() => void add.run()}>
            Add passkey
          </Button>
        </div>
      </div>
      {edited !== null && <EditPasskey passkey={edited} onClose={() => setEdited(null)} />}
    </CardSection>
  );
}

function nameOf({ friendly_name: name = "" }: Passkey): string {
  return name === "" ? "Passkey" : name;
}

function EditPasskey({ passkey, onClose }: { readonly passkey: Passkey; onClose(): void }) {
  const [name, setName] = useState(nameOf(passkey));
  const rename = useRenamePasskey();
  const remove = useRemovePasskey();
  const end = async (change: Promise<unknown>) => {
    if ((await change) !== null) onClose();
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title={nameOf(passkey)}
      action="Rename"
      isBusy={rename.isBusy}
      isDisabled={name.trim() === "" || remove.isBusy}
      isForm
      onAction={() => void end(rename.run({ passkeyId: passkey.id, friendlyName: name.trim() }))}
    >
      <Field label="Name" hint="Such as the device that has it." error={rename.failure?.message}>
        <TextInput maxLength={MAX_NAME} {...typed(name, setName)} />
      </Field>
      {remove.failure !== null && <Banner tone="bad">{remove.failure.message}</Banner>}
      <p className="text-ink-soft">
        Without it you sign in another way. Delete it from the device too, which goes on offering it.
      </p>
      <div>
        <Button variant="danger" isBusy={remove.isBusy} onClick={() => void end(remove.run(passkey.id))}>
          Remove passkey
        </Button>
      </div>
    </ActionDialog>
  );
}
