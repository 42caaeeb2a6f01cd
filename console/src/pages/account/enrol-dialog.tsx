import { useEffect, useRef, useState } from "react";
import { type Factor, useConfirmFactor, useEnrol, type Enrolment } from "../../data/factors.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { CodeInput } from "../../components/code-input.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Field } from "../../components/field.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";

interface EnrolDialogProps {
  readonly taken: readonly Factor[];
  onClose(): void;
}

const CODE_LENGTH = 6;

/** Shows the QR code and verifies a first code. */
export function EnrolDialog({ taken, onClose }: EnrolDialogProps) {
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [code, setCode] = useState("");
  const enrol = useEnrol();
  const confirm = useConfirmFactor();
  const toast = useToast();
  const hasBegun = useRef(false);
  const name = chooseName(taken);
  const { run } = enrol;
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    void run(name).then(setEnrolment);
  }, [run, name]);
  const submit = async () => {
    if (enrolment === null || (await confirm.run({ factorId: enrolment.factorId, code })) === null) return;
    toast({ text: "Signing in now requires a code." });
    onClose();
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Set up an app"
      description="Use any authenticator app, such as Aegis, 1Password or Google Authenticator."
      size="medium"
      action="Turn on"
      isBusy={confirm.isBusy}
      isDisabled={enrolment === null || code.length < CODE_LENGTH}
      isForm
      onAction={() => void submit()}
    >
      {enrol.failure !== null && <Banner tone="bad">{enrol.failure.message}</Banner>}
      {enrol.failure === null && (
        <div className="grid gap-5 sm:grid-cols-[11rem_minmax(0,1fr)]">
          {enrolment === null ? (
            <Skeleton className="mx-auto size-44 rounded-lg" />
          ) : (
            // Cameras need dark on light in both themes.
            <img
              src={enrolment.picture}
              alt="QR code for the app"
              className="mx-auto size-44 rounded-lg border border-line bg-[#fff] p-1"
            />
          )}
          <ol className="grid content-start gap-5">
            <li className="grid gap-1.5">
              <p>
                <b className="font-semibold">1.</b> Scan the QR code, or type this secret into the app:
              </p>
              {enrolment === null ? (
                <Skeleton className="h-9" />
              ) : (
                <div className="flex items-center gap-1 rounded-md border border-line bg-sunken pl-3">
                  <span className="min-w-0 flex-1 py-2 font-mono text-sm wrap-anywhere">
                    {enrolment.secret.replace(/.{4}(?=.)/g, "$& ")}
                  </span>
                  <CopyButton text={enrolment.secret} label="Copy the secret" />
                </div>
              )}
            </li>
            <li className="grid gap-1.5">
              <p>
                <b className="font-semibold">2.</b> Type the current code of the app:
              </p>
              <Field label="Code" error={confirm.failure?.message}>
                <CodeInput value={code} onChange={setCode} />
              </Field>
            </li>
          </ol>
        </div>
      )}
    </ActionDialog>
  );
}

/** Names of factors are unique. */
function chooseName(taken: readonly Factor[]): string {
  const names = new Set(taken.map(({ name }) => name));
  let number = taken.length + 1;
  while (names.has(`Authenticator ${number}`)) number += 1;
  return names.size === 0 ? "Authenticator" : `Authenticator ${number}`;
}
