/** The subject of the usage, and its approximate amount on a working day. */
export interface UsageSource {
  readonly agentId: string;
  readonly framework: string;
  readonly model: string;
  readonly tokensADay: number;
  readonly usdAMillion: number;
}

const DAY_MS = 86_400_000;
const DAYS = 30;
const WEEKEND = 0.25;

/** A month of usage that grows towards the launch and pauses on weekends; deterministic for a given day. */
export function inventUsage(
  { payerId, swarmId, nowMs }: { readonly payerId: string; readonly swarmId: string; readonly nowMs: number },
  sources: readonly UsageSource[],
): readonly object[] {
  return sources.flatMap(({ agentId, framework, model, tokensADay, usdAMillion }, at) =>
    Array.from({ length: DAYS }, (_, daysAgo) => {
      const time = new Date(nowMs - daysAgo * DAY_MS);
      const isWeekend = [0, 6].includes(time.getUTCDay());
      const wave = 1 + 0.35 * Math.sin(daysAgo * 1.7 + at * 2.1);
      const growth = 1.4 - daysAgo / DAYS;
      const tokens = Math.round(tokensADay * wave * growth * (isWeekend ? WEEKEND : 1));
      const output = Math.round(tokens * 0.18);
      return {
        payer_id: payerId,
        user_id: payerId,
        swarm_id: swarmId,
        agent_id: agentId,
        framework,
        model,
        input_tokens: tokens - output,
        output_tokens: output,
        cost_usd: (tokens * usdAMillion) / 1_000_000,
        created_at: time.toISOString(),
      };
    }),
  );
}
