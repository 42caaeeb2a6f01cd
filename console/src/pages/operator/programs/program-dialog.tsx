import { useState } from "react";
import { type Program, useRenewSecret, useSaveProgram } from "../../../data/operator-programs.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { Checkbox } from "../../../components/checkbox.tsx";
import { Field } from "../../../components/field.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import { describeScope, PROGRAM_SCOPES } from "../../../components/access-texts.ts";
import { TextArea } from "../../../components/text-area.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";

const TYPES = [
  { value: "public", label: "Public", hint: "An app on a device or in a browser, which cannot keep a secret." },
  { value: "confidential", label: "Confidential", hint: "A program on a server. It gets a secret, shown once." },
] as const;

interface ProgramDialogProps {
  /** Null means a new one. */
  readonly program: Program | null;
  onClose(): void;
  /** The program has a secret if it got one. */
  onDone(program: Program): void;
}

export function ProgramDialog({ program, onClose, onDone }: ProgramDialogProps) {
  const [name, setName] = useState(program?.client_name ?? "");
  const [uris, setUris] = useState(program?.redirect_uris.join("\n") ?? "");
  const [type, setType] = useState(program?.client_type ?? "public");
  const [scopes, setScopes] = useState(
    program === null ? ["read", "run"] : (program.scope?.split(" ") ?? PROGRAM_SCOPES),
  );
  const id = program?.client_id ?? "";
  const save = useSaveProgram(id);
  const renew = useRenewSecret(id);
  const end = async (change: Promise<Program | null>) => {
    const changed = await change;
    if (changed !== null) onDone(changed);
  };
  const body = {
    client_name: name.trim(),
    redirect_uris: uris.split(/\s+/).filter((uri) => uri !== ""),
    scope: scopes.join(" "),
    // A program that has a way to prove its secret keeps it.
    ...(type !== program?.client_type && {
      token_endpoint_auth_method: type === "public" ? "none" : "client_secret_basic",
    }),
  };
  const failure = save.failure ?? renew.failure;
  return (
    <ActionDialog
      size="medium"
      isOpen
      onClose={onClose}
      title={program === null ? "New program" : "Change the program"}
      action={program === null ? "Create" : "Save"}
      isBusy={save.isBusy}
      isDisabled={body.client_name === "" || body.redirect_uris.length === 0 || scopes.length === 0}
      isForm
      onAction={() => void end(save.run(body))}
    >
      {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
      <Field label="Name" hint="People read it when the program asks them.">
        <TextInput maxLength={100} autoComplete="off" {...typed(name, setName)} />
      </Field>
      <Field label="Redirect URIs" hint="Where answers go, one on each line, compared exactly.">
        <TextArea isCode {...typed(uris, setUris)} />
      </Field>
      <RadioGroup<Program["client_type"]> label="Type" value={type} choices={TYPES} onChange={setType} />
      <fieldset className="grid gap-2">
        <legend className="mb-2 text-sm font-medium">It may ask for</legend>
        {PROGRAM_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={`${describeScope(scope).label} (${scope})`}
            isChecked={scopes.includes(scope)}
            onChange={(isOn) => setScopes(isOn ? [...scopes, scope] : scopes.filter((other) => other !== scope))}
          />
        ))}
      </fieldset>
      {program?.client_type === "confidential" && (
        <Button className="justify-self-start" isBusy={renew.isBusy} onClick={() => void end(renew.run())}>
          New secret
        </Button>
      )}
    </ActionDialog>
  );
}
