import { useState } from "react";
import type { Attempt } from "../../../data/attempts.ts";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { formatDuration, formatExact } from "../../../components/formats.ts";
import { Select } from "../../../components/select.tsx";
import { TextDifference } from "../../../components/text-difference.tsx";

/** Two attempts of a delivery line by line. `attempts`: the newest first, at least two. */
export function CompareAttempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const [chosen, setChosen] = useState<readonly [string | null, string | null]>([null, null]);
  const find = (id: string | null) => attempts.find((attempt) => attempt.id === id);
  const after = find(chosen[1]) ?? attempts[0];
  const before = find(chosen[0]) ?? attempts[1];
  if (before === undefined || after === undefined) return null;
  const choices = attempts.map((attempt) => ({ value: attempt.id, label: nameAttempt(attempt) }));
  return (
    <CardSection
      title="Compare attempts"
      description="The request body is the same in all of them; this is what the endpoint answered."
    >
      <div className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="First">
            <Select value={before.id} choices={choices} onChange={(id) => setChosen([id, after.id])} />
          </Field>
          <Field label="Second">
            <Select value={after.id} choices={choices} onChange={(id) => setChosen([before.id, id])} />
          </Field>
        </div>
        <TextDifference label="Exchange" before={describeExchange(before)} after={describeExchange(after)} />
        <TextDifference label="Response body" before={before.response_body ?? ""} after={after.response_body ?? ""} />
      </div>
    </CardSection>
  );
}

function nameAttempt({ attempt, status_code: status }: Attempt): string {
  return `Attempt ${attempt}: ${status ?? "no response"}`;
}

/** One line for each fact, so that only those that differ are marked. */
function describeExchange(attempt: Attempt): string {
  const { url, cause, status_code: status, error_code: code, error, response_time_ms: took, created_at: at } = attempt;
  return [
    `POST ${url}`,
    `Cause: ${cause}`,
    `Status: ${status ?? "no response"}`,
    ...(code === null ? [] : [`Error: ${code}`]),
    ...(error === null ? [] : [`Reason: ${error}`]),
    ...(took === null ? [] : [`Response time: ${formatDuration(took)}`]),
    `At: ${formatExact(at)}`,
  ].join("\n");
}
