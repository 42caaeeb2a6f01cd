import { useState } from "react";
import { getConfig } from "../../../data/client.ts";
import { type Trigger, useSetSecret } from "../../../data/triggers.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Field } from "../../../components/field.tsx";
import { PasswordInput } from "../../../components/password-input.tsx";
import { SigningSecret } from "../../../components/signing-secret.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";
import { EnabledSwitch } from "../targeted/enabled-switch.tsx";
import { describeHold } from "./labels.ts";

/** Where the other system sends its calls, and the secret with which it signs them. */
export function TriggerAddress({ trigger }: { readonly trigger: Trigger }) {
  const [typedSecret, setTypedSecret] = useState("");
  const [made, setMade] = useState<string | null>(null);
  const { run, isBusy, failure } = useSetSecret();
  const toast = useToast();
  const store = async () => {
    const stored = await run({ id: trigger.id, secret: typedSecret });
    if (stored === null) return;
    setMade(stored.secret);
    setTypedSecret("");
    toast({ text: "The secret is stored." });
  };
  return (
    <CardSection
      title="Address"
      description={describeHold(trigger) ?? "Other systems send their calls here."}
      action={<EnabledSwitch table="triggers" row={trigger} />}
    >
      <div className="grid grid-cols-1 gap-4">
        <CodeBlock label="POST" code={`${getConfig().url}/triggers/v1/${trigger.id}`} isWrapped />
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-0 grow">
            <Field
              label={trigger.has_secret ? "Another secret" : "Secret"}
              hint="The one that the sender shows. Without one the service creates one. It replaces the stored one at once."
              error={failure?.message}
            >
              <PasswordInput subject="secret" autoComplete="off" {...typed(typedSecret, setTypedSecret)} />
            </Field>
          </div>
          <Button isBusy={isBusy} onClick={() => void store()}>
            {typedSecret === "" ? "Create secret" : "Save secret"}
          </Button>
        </div>
        {made !== null && (
          <div className="grid gap-1.5">
            <p className="text-sm text-ink-soft">Enter it at the sender. It is not shown again.</p>
            <SigningSecret secret={made} />
          </div>
        )}
      </div>
    </CardSection>
  );
}
