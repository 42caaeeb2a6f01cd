import { formatCount, formatMoney } from "./formats.ts";
import { Stat } from "./stat.tsx";

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
}

/** Tokens and cost of a run; null until they are known. */
export function UsageStats({ usage }: { readonly usage: Usage | null }) {
  const cost = usage?.cost_usd ?? null;
  return (
    <>
      <Stat
        label="Tokens"
        value={usage === null ? "–" : formatCount(usage.total_tokens)}
        {...(usage !== null && {
          note: `${formatCount(usage.input_tokens)} in, ${formatCount(usage.output_tokens)} out`,
        })}
      />
      <Stat
        label="Cost"
        value={cost === null ? "–" : formatMoney(cost)}
        {...(usage?.estimated === true && { note: "estimated" })}
      />
    </>
  );
}
