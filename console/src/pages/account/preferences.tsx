import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import { useState } from "react";
import { type Settings, useSaveSettings, useSettings } from "../../data/account.ts";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/select.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { SaveCard } from "./save-card.tsx";

const PROVIDERS = [
  { value: "", label: "None" },
  ...FRAMEWORKS.map((value) => ({ value, label: `Provider ${value.slice("provider_".length).toUpperCase()}` })),
] as const;

export function Preferences() {
  const { rows: settings } = useSettings();
  return settings === undefined ? <Skeleton className="h-52 rounded-lg" /> : <PreferencesCard settings={settings} />;
}

function PreferencesCard({ settings }: { readonly settings: Settings }) {
  const [framework, setFramework] = useState<Framework | "">(settings.default_framework ?? "");
  const [zone, setZone] = useState(settings.timezone ?? "");
  const save = useSaveSettings();
  const toast = useToast();
  const isChanged = framework !== (settings.default_framework ?? "") || zone !== (settings.timezone ?? "");
  const submit = async () => {
    const change = { default_framework: framework === "" ? null : framework, timezone: zone === "" ? null : zone };
    if ((await save.run(change)) !== null) toast({ text: "Your preferences are saved." });
  };
  return (
    <SaveCard
      title="Preferences"
      description="Stored with your account, for all applications."
      action="Save"
      isBusy={save.isBusy}
      isReady={isChanged}
      failure={save.failure}
      onSubmit={() => void submit()}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Default provider" error={save.errors["default_framework"]}>
          <Select<Framework | ""> value={framework} choices={PROVIDERS} onChange={setFramework} />
        </Field>
        <Field label="Time zone" error={save.errors["timezone"]}>
          <Select value={zone} choices={listZones(settings.timezone)} onChange={setZone} />
        </Field>
      </div>
    </SaveCard>
  );
}

/** Includes the saved time zone, which this browser may not know. */
function listZones(saved: string | null): readonly { readonly value: string; readonly label: string }[] {
  const zones = new Set([...(saved === null ? [] : [saved]), "UTC", ...Intl.supportedValuesOf("timeZone")]);
  return [
    { value: "", label: "None" },
    ...[...zones].map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") })),
  ];
}
