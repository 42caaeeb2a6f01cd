import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { useFailedIn, useRecoveries, useRecoverSince } from "../../../data/recoveries.ts";
import type { Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { Field } from "../../../components/field.tsx";
import { formatCount } from "../../../components/formats.ts";
import { Select } from "../../../components/select.tsx";
import { ListSkeleton } from "../../../components/skeleton.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { toInstant } from "../../../components/use-filters.ts";
import { RecoveryProgress } from "./recovery-progress.tsx";

const HOUR_MS = 3_600_000;
type Since = "1" | "6" | "24" | "168" | "other";
const CHOICES: readonly { readonly value: Since; readonly label: string }[] = [
  { value: "1", label: "The last hour" },
  { value: "6", label: "The last 6 hours" },
  { value: "24", label: "The last 24 hours" },
  { value: "168", label: "The last 7 days" },
  { value: "other", label: "Custom time" },
];

/** Sends all deliveries that have failed since a time again, for example after an outage. */
export function RecoveryTab({ webhook }: { readonly webhook: Webhook }) {
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <Begin webhook={webhook} />
      <Past webhookId={webhook.id} />
    </div>
  );
}

function Begin({ webhook: { id, is_active: isActive } }: { readonly webhook: Webhook }) {
  const [choice, setChoice] = useState<Since>("24");
  const [own, setOwn] = useState("");
  // Set when the choice changes: the current time at each render would cause endless requests.
  const [chosenAt, setChosenAt] = useState(() => Date.now());
  const since = choice === "other" ? toInstant(own) : new Date(chosenAt - Number(choice) * HOUR_MS).toISOString();
  const { rows: failed, reload: recount } = useFailedIn(id, since, null);
  const recover = useRecoverSince();
  const count = since === null ? undefined : failed?.[0]?.count;
  return (
    <CardSection
      title="Recover failed deliveries"
      description="Retries all deliveries that have failed since a time, each with a new retry schedule."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (since !== null) void recover.run({ webhookId: id, since, until: null }).then(recount);
        }}
      >
        <Field label="Since">
          <Select<Since>
            value={choice}
            choices={CHOICES}
            onChange={(next) => {
              setChoice(next);
              setChosenAt(Date.now());
            }}
          />
        </Field>
        {choice === "other" && (
          <Field label="Date and time" hint="In the time zone of this browser." error={recover.errors["since"]}>
            <TextInput type="datetime-local" {...typed(own, setOwn)} />
          </Field>
        )}
        {!isActive && <Banner tone="warning">The webhook is disabled. Enable it first.</Banner>}
        {recover.failure !== null && recover.errors["since"] === undefined && (
          <Banner tone="bad">{recover.failure.message}</Banner>
        )}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span role="status" className="text-ink-soft">
            {count === undefined
              ? ""
              : count === 0
                ? "No failed deliveries."
                : `${formatCount(count)} failed deliveries.`}
          </span>
          <Button
            type="submit"
            variant="primary"
            icon={<RotateCcw />}
            isBusy={recover.isBusy}
            disabled={!isActive || count === undefined || count === 0}
          >
            Retry deliveries
          </Button>
        </div>
      </form>
    </CardSection>
  );
}

function Past({ webhookId }: { readonly webhookId: string }) {
  const { rows, ...read } = useRecoveries(webhookId);
  if (rows === undefined)
    return <NotLoaded title="The recoveries could not be loaded" read={read} skeleton={<ListSkeleton rows={3} />} />;
  return (
    <CardSection title="Recoveries" description="Recoveries survive restarts, and pause while the endpoint is behind.">
      {rows.length === 0 ? (
        <p className="text-ink-faint">None yet.</p>
      ) : (
        <ul className="grid gap-5">
          {rows.map((recovery) => (
            <li key={recovery.id}>
              <RecoveryProgress recovery={recovery} />
            </li>
          ))}
        </ul>
      )}
    </CardSection>
  );
}
