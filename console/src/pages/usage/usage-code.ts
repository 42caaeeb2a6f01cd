import type { UsageQuery, UsageSplit } from "../../data/usage.ts";
import { writeCurl } from "../../components/write-snippets.ts";

const COLUMNS: Readonly<Record<UsageSplit, string>> = { agent: "agent_id", swarm: "swarm_id", model: "model" };

/** Snippets with the query of the chart. */
export function writeUsageCode({ since, split, payerId }: UsageQuery & { readonly payerId: string }): {
  readonly curl: string;
  readonly supabaseJs: string;
} {
  const columns = `day,${COLUMNS[split]},input_tokens.sum(),output_tokens.sum(),cost_usd.sum()`;
  return {
    curl: writeCurl({
      path: `/rest/v1/usage_daily?select=${columns}&payer_id=eq.${payerId}&day=gte.${since}&order=day`,
    }),
    supabaseJs: `const { data, error } = await supabase
  .from("usage_daily")
  .select("${columns.replaceAll(",", ", ")}")
  .eq("payer_id", "${payerId}")
  .gte("day", "${since}")
  .order("day");`,
  };
}
