import { LIMITS, type LimitName } from "@swarmbase/sdk";
import { type RateLimitState, useRateLimitStates } from "../../data/limits.ts";
import { CardSection } from "../../components/card.tsx";
import { formatCount } from "../../components/formats.ts";
import { ProgressBar } from "../../components/progress-bar.tsx";

const WORDS: Readonly<Record<LimitName, string>> = {
  api: "every call, for you in all tabs and programs",
  auth: "sign-ups, passwords and codes, for an address",
  ai: "each answer of an agent that is started",
  tool: "each tool call of an agent",
  webhook: "tests and what is sent again",
};
const NAMES = Object.keys(LIMITS) as LimitName[];

export function LimitsCard() {
  const standings = useRateLimitStates();
  return (
    <CardSection
      title="Limits"
      description="Calls a minute. Each answer says how things stand, in its X-RateLimit headers; this is what they said last."
    >
      <table className="w-full text-left">
        <thead className="text-xs text-ink-faint">
          <tr className="border-b border-line">
            <th scope="col" className="pb-2 font-medium">
              What is counted
            </th>
            <th scope="col" className="w-20 pb-2 text-right font-medium sm:w-24">
              A minute
            </th>
            <th scope="col" className="w-14 pb-2 pl-4 text-right font-medium sm:w-48">
              Left
            </th>
          </tr>
        </thead>
        <tbody>
          {NAMES.map((name) => (
            <LimitLine key={name} name={name} standing={standings[name]} />
          ))}
        </tbody>
      </table>
    </CardSection>
  );
}

function LimitLine({ name, standing }: { readonly name: LimitName; readonly standing: RateLimitState | undefined }) {
  const { name: title, limit } = LIMITS[name];
  return (
    <tr className="border-b border-line last:border-b-0">
      <th scope="row" className="py-2.5 pr-2 font-normal">
        <span className="block font-medium">{title}</span>
        <span className="block text-sm text-ink-faint">{WORDS[name]}</span>
      </th>
      <td className="py-2.5 text-right tabular-nums">{formatCount(standing?.limit ?? limit)}</td>
      <td className="py-2.5 pl-4 text-right tabular-nums">
        {standing === undefined ? (
          <span className="text-ink-faint">
            <span className="max-sm:sr-only">not asked yet</span>
            <span aria-hidden className="sm:hidden">
              –
            </span>
          </span>
        ) : (
          <span className="flex items-center justify-end gap-3">
            <span className="hidden w-24 sm:block">
              <ProgressBar label={`${title} left`} value={standing.remaining} max={standing.limit} />
            </span>
            {formatCount(standing.remaining)}
          </span>
        )}
      </td>
    </tr>
  );
}
