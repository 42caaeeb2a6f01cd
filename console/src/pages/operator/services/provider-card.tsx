import { useState } from "react";
import { type ProviderTest, type ServiceProvider, useTestProvider } from "../../../data/operator-operations.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { formatDuration, formatTokens } from "../../../components/formats.ts";
import { Picker } from "../../../components/picker.tsx";
import { Facts } from "../../../components/facts.tsx";

const STATES: Readonly<Record<ServiceProvider["state"], { readonly label: string; readonly tone: Tone }>> = {
  ready: { label: "Ready", tone: "good" },
  keyless: { label: "Key missing", tone: "bad" },
  unconfigured: { label: "Not configured", tone: "neutral" },
};
const MAX_SHOWN = 12;

export function ProviderCard({ provider }: { readonly provider: ServiceProvider }) {
  const { framework, name, kind, state, models } = provider;
  const [model, setModel] = useState("");
  const [test, setTest] = useState<ProviderTest | null>(null);
  const send = useTestProvider(framework);
  const run = async () => {
    setTest(null);
    const sent = await send.run(model);
    if (sent !== null) setTest(sent.test);
  };
  const variable = framework.toUpperCase();
  return (
    <CardSection
      title={name}
      description={framework}
      action={<Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>}
    >
      <div className="grid gap-4">
        <Facts
          rows={[
            ["Kind", kind],
            ...(kind === "simulated"
              ? []
              : ([
                  ["Address", provider.base_url ?? "of the vendor"],
                  ["Key", provider.has_key ? "set" : "not set"],
                ] as const)),
            ["Models", listModels(models)],
            ["Default model", provider.default_model ?? "none"],
            ["Falls back to", provider.fallback.length === 0 ? "none" : provider.fallback.join(", ")],
          ]}
        />
        {state === "ready" ? (
          <div className="flex flex-wrap items-center gap-3">
            <Picker
              label={`Model of ${name}`}
              className="w-full sm:w-64"
              value={model}
              choices={[{ value: "", label: "Default model" }, ...models.map((value) => ({ value, label: value }))]}
              onChange={setModel}
            />
            <Button isBusy={send.isBusy} onClick={() => void run()}>
              Send test
            </Button>
          </div>
        ) : (
          <p className="text-sm text-pretty text-ink-soft">
            {state === "keyless"
              ? `Set ${variable}_API_KEY, or the key that the providers file names.`
              : `Set ${variable}_KIND and ${variable}_API_KEY, or describe the provider in the providers file.`}
          </p>
        )}
        {send.failure !== null && <Banner tone="bad">{send.failure.message}</Banner>}
        {test !== null && <Outcome test={test} />}
      </div>
    </CardSection>
  );
}

function listModels(models: readonly string[]): string {
  if (models.length === 0) return "none listed";
  const rest = models.length - MAX_SHOWN;
  return `${models.slice(0, MAX_SHOWN).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function Outcome({ test }: { readonly test: ProviderTest }) {
  const status = test.provider_status === null ? "" : ` (status ${test.provider_status})`;
  if (!test.is_ok)
    return (
      <Banner tone="bad">
        <span className="wrap-anywhere">
          Failed after {formatDuration(test.duration_ms)}: {test.message}
          {status}. {test.error_code}
        </span>
      </Banner>
    );
  const first = test.first_token_ms === null ? "" : `, the first token after ${formatDuration(test.first_token_ms)}`;
  const tokens = (test.input_tokens ?? 0) + (test.output_tokens ?? 0);
  return (
    <Banner tone="note">
      <span className="wrap-anywhere">
        {test.model} answered in {formatDuration(test.duration_ms)}
        {first}, with {formatTokens(tokens)}
        {test.answer ? `: “${test.answer}”` : "."}
      </span>
    </Banner>
  );
}
