import { type FormEvent, useState } from "react";
import { type AddedProvider, useAddProvider } from "../../data/providers.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { formatDuration } from "../../components/formats.ts";
import { PasswordInput } from "../../components/password-input.tsx";
import { Select } from "../../components/select.tsx";
import { typed } from "../../components/typed.ts";

const VENDORS = [
  { value: "", label: "As the key says" },
  { value: "openai", label: "OpenAI" },
  { value: "anthropic", label: "Anthropic" },
  { value: "google", label: "Google Gemini" },
];

/** For a service that has no model yet and that only its developer reaches: asks for a key, which the service tests and stores. */
export function ConnectModel() {
  const [key, setKey] = useState("");
  const [vendor, setVendor] = useState("");
  const [added, setAdded] = useState<AddedProvider | null>(null);
  const add = useAddProvider();
  if (added?.is_stored === true) return <Banner tone="note">{describe(added)} New agents use it.</Banner>;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setAdded(null);
    const result = await add.run({ key, vendor: vendor === "" ? null : vendor });
    if (result === null) return;
    setAdded(result);
    if (result.is_stored) setKey("");
  };
  return (
    <CardSection
      title="Connect a model"
      description="Without a key, replies are simulated. The service tests a key with one small call, and stores it encrypted."
    >
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <Field label="API key" error={add.errors["api_key"]}>
            <PasswordInput subject="key" autoComplete="off" {...typed(key, setKey)} />
          </Field>
          <Field label="Provider">
            <Select value={vendor} choices={VENDORS} onChange={setVendor} />
          </Field>
        </div>
        {add.failure !== null && <Banner tone="bad">{add.failure.message}</Banner>}
        {added !== null && <Banner tone="bad">{describe(added)}</Banner>}
        <div>
          <Button type="submit" variant="primary" isBusy={add.isBusy} disabled={key.trim() === ""}>
            Test and store
          </Button>
        </div>
      </form>
    </CardSection>
  );
}

function describe({ name, test }: AddedProvider): string {
  return test.is_ok
    ? `${name} is connected: ${test.model} answered in ${formatDuration(test.duration_ms)}.`
    : `The key of ${name} was not stored: ${test.message}.`;
}
