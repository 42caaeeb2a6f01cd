import { LIMITS, type LimitName } from "@swarmbase/sdk";
import { type RateLimitState, useRateLimitStates } from "../../data/limits.ts";
import { CardSection } from "../../components/card.tsx";
import { formatCount } from "../../components/formats.ts";
import { ProgressBar } from "../../components/progress-bar.tsx";

const LABELS: Readonly<Record<LimitName, string>> = {
  api: "all requests of your account",
  auth: "sign-ups, passwords and codes, per IP address",
  ai: "each started reply of an agent",
  tool: "each tool call",
  webhook: "deliveries, tests and retries",
};
const NAMES = Object.keys(LIMITS) as LimitName[];

export function LimitsCard() {
  const states = useRateLimitStates();
  return (
    <CardSection
      title="Limits"
      description="Requests per minute. The X-RateLimit headers of each response report the remaining ones; this table shows the last values."
    >
      <table className="w-full text-left">
        <thead className="text-xs text-ink-faint">
          <tr className="border-b border-line">
            <th scope="col" className="pb-2 font-medium">
              Limit
            </th>
            <th scope="col" className="w-20 pb-2 text-right font-medium sm:w-24">
              Per minute
            </th>
            <th scope="col" className="w-14 pb-2 pl-4 text-right font-medium sm:w-48">
              Left
            </th>
          </tr>
        </thead>
        <tbody>
          {NAMES.map((name) => (
            <LimitLine key={name} name={name} state={states[name]} />
          ))}
        </tbody>
      </table>
    </CardSection>
  );
}

function LimitLine({ name, state }: { readonly name: LimitName; readonly state: RateLimitState | undefined }) {
  const { name: title, limit } = LIMITS[name];
  return (
    <tr className="border-b border-line last:border-b-0">
      <th scope="row" className="py-2.5 pr-2 font-normal">
        <span className="block font-medium">{title}</span>
        <span className="block text-sm text-ink-faint">{LABELS[name]}</span>
      </th>
      <td className="py-2.5 text-right tabular-nums">{formatCount(state?.limit ?? limit)}</td>
      <td className="py-2.5 pl-4 text-right tabular-nums">
        {state === undefined ? (
          <span className="text-ink-faint">
            <span className="max-sm:sr-only">unknown</span>
            <span aria-hidden className="sm:hidden">
              –
            </span>
          </span>
        ) : (
          <span className="flex items-center justify-end gap-3">
            <span className="hidden w-24 sm:block">
              <ProgressBar label={`${title} left`} value={state.remaining} max={state.limit} />
            </span>
            {formatCount(state.remaining)}
          </span>
        )}
      </td>
    </tr>
  );
}
