import type { AuthContext } from "../auth-context.ts";
import type { AuthResponse } from "../call.ts";
import { describeTarget } from "../hooks/hook-target.ts";
import { selectHookFailures } from "../sql/hook-failures.ts";

/** GET /admin/hooks: what is configured, and how it has failed on any node. */
export async function listHooks({ hooks, pool }: Pick<AuthContext, "hooks" | "pool">): Promise<AuthResponse> {
  const targets = Object.values(hooks).flatMap((hook) => (hook === null ? [] : [hook.target]));
  const failures = await selectHookFailures(pool);
  const listed = targets.map((target) => ({
    name: target.name,
    kind: target.call.kind,
    target: describeTarget(target),
    policy: target.policy,
    timeout_ms: target.timeoutMs,
    failures: failures
      .filter(({ hook }) => hook === target.name)
      .map(({ at, reason, count }) => ({ at: at.toISOString(), reason, count })),
  }));
  return { status: 200, body: { hooks: listed } };
}
