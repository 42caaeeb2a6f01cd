import type { Fact } from "../../components/facts.tsx";
import { formatCount, formatDuration, formatMoney } from "../../components/formats.ts";
import { type Span, waitOf } from "./lay-out-trace.ts";

interface Usage {
  readonly input_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
  readonly first_token_ms: number | null;
}

/** Times, tokens and cost of a turn or of a model call. */
export function usageFigures(used: Usage, span: Span): readonly Fact[] {
  const waitedMs = waitOf(span);
  const tokens = (count: number | null, part: number | null, what: string): string | null =>
    count === null ? null : `${formatCount(count)}${part ? `, of which ${formatCount(part)} ${what}` : ""}`;
  return [
    ["Duration", formatDuration(span.tookMs)],
    ["Waited", waitedMs === null ? null : formatDuration(waitedMs)],
    ["First token after", used.first_token_ms === null ? null : formatDuration(used.first_token_ms)],
    ["Tokens in", tokens(used.input_tokens, used.cached_input_tokens, "cached")],
    ["Tokens out", tokens(used.output_tokens, used.reasoning_tokens, "reasoning")],
    ["Cost", used.cost_usd === null ? null : `${formatMoney(used.cost_usd)}${used.estimated ? ", estimated" : ""}`],
  ];
}
