import type { ApiKeyScope } from "@swarmbase/sdk";
import { useState } from "react";
import { useCreateApiKey, useKeyResources } from "../../data/api-keys.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { ResourcePicker } from "../../components/resource-picker.tsx";
import { SCOPE_TEXTS } from "../../components/access-texts.ts";
import { SelectField, TextField } from "../../components/form-fields.tsx";
import type { Choice } from "../../components/select.tsx";

const SCOPES = Object.keys(SCOPE_TEXTS) as readonly ApiKeyScope[];

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
  const [picked, setPicked] = useState<readonly string[] | null>(null);
  const { rows: choices = [], search } = useKeyResources(isOpen, picked);
  const resources = picked && choices.filter(({ id }) => picked.includes(id));
  const create = useCreateApiKey();
  const run = async () => {
    const key = await create.run({
      name,
      scopes: [...scopes],
      resources,
      lifetimeDays: days === "" ? null : Number(days),
    });
    if (key === null) return;
    onCreated(key);
    setName("");
    setScopes(new Set(["read"]));
    setPicked(null);
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
      isDisabled={name.trim() === "" || scopes.size === 0 || resources?.length === 0}
      isBusy={create.isBusy}
      onAction={() => void run()}
    >
      <div className="grid gap-4">
        {create.failure !== null && <Banner tone="bad">{create.failure.message}</Banner>}
        <TextField label="Name" hint="What the key is for." value={name} onChange={setName} maxLength={100} />
        <div className="grid gap-2">
          <p className="text-sm text-ink-soft">The key may do only what you choose:</p>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              {...SCOPE_TEXTS[scope]}
              isChecked={scopes.has(scope)}
              onChange={() => toggle(scope)}
            />
          ))}
        </div>
        <ResourcePicker choices={choices} picked={picked} onPick={setPicked} onSearch={search} />
        <SelectField label="Expires after" value={days} choices={LIFETIMES} onChange={setDays} />
      </div>
    </ActionDialog>
  );
}
