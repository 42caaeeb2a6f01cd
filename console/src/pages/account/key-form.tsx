import type { ApiKeyScope } from "@swarmbase/sdk";
import { useState } from "react";
import { useCreateApiKey, useKeyResources } from "../../data/api-keys.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { Field } from "../../components/field.tsx";
import { type Choice, Select } from "../../components/select.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";

const SCOPES: readonly { readonly scope: ApiKeyScope; readonly label: string; readonly hint: string }[] = [
  { scope: "read", label: "Read", hint: "Read what you can read, except secrets." },
  { scope: "write", label: "Write", hint: "Create, change and delete what you can, and send messages." },
  { scope: "run", label: "Run", hint: "Let agents answer, and cancel their runs. Enough to ask an agent." },
  { scope: "approve", label: "Approve", hint: "Decide about tool calls that wait for your approval." },
  { scope: "share", label: "Share", hint: "Invite members; with Read, also create and change webhooks." },
  { scope: "secrets", label: "Secrets", hint: "With Read, also see secrets of webhooks, tools and assignments." },
];

const LIFETIMES: readonly Choice[] = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "One year" },
  { value: "", label: "As long as possible" },
];

interface KeyFormProps {
  readonly isOpen: boolean;
  onClose(): void;
  /** Receives the key, which cannot be read again. */
  onCreated(key: string): void;
}

export function KeyForm({ isOpen, onClose, onCreated }: KeyFormProps) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<ApiKeyScope>>(new Set(["read"]));
  const [days, setDays] = useState("90");
  const [resource, setResource] = useState("");
  const { rows: resources = [] } = useKeyResources(isOpen);
  const create = useCreateApiKey();
  const run = async () => {
    const key = await create.run({
      name,
      scopes: [...scopes],
      resources: resources.find(({ id }) => id === resource) ?? null,
      lifetimeDays: days === "" ? null : Number(days),
    });
    if (key === null) return;
    onCreated(key);
    setName("");
    setScopes(new Set(["read"]));
    setResource("");
    onClose();
  };
  const toggle = (scope: ApiKeyScope) =>
    setScopes(
      (chosen) => new Set(chosen.has(scope) ? [...chosen].filter((other) => other !== scope) : [...chosen, scope]),
    );
  return (
    <ActionDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Create an API key"
      action="Create key"
      isDisabled={name.trim() === "" || scopes.size === 0}
      isBusy={create.isBusy}
      onAction={() => void run()}
    >
      <div className="grid gap-4">
        {create.failure !== null && <Banner tone="bad">{create.failure.message}</Banner>}
        <Field label="Name" hint="What the key is for.">
          <TextInput {...typed(name, setName)} maxLength={100} />
        </Field>
        <div className="grid gap-2">
          <p className="text-sm text-ink-soft">The key may do only what you choose:</p>
          {SCOPES.map(({ scope, label, hint }) => (
            <Checkbox
              key={scope}
              label={label}
              hint={hint}
              isChecked={scopes.has(scope)}
              onChange={() => toggle(scope)}
            />
          ))}
        </div>
        <Field label="Bound to" hint="The function api-keys binds a key to several.">
          <Select
            value={resource}
            choices={[
              { value: "", label: "All my agents and swarms" },
              ...resources.map(({ id, kind, label }) => ({
                value: id,
                label: `${kind === "agents" ? "Agent" : "Swarm"}: ${label}`,
              })),
            ]}
            onChange={setResource}
          />
        </Field>
        <Field label="Expires after">
          <Select value={days} choices={LIFETIMES} onChange={setDays} />
        </Field>
      </div>
    </ActionDialog>
  );
}
