import { createMailOutbox } from "../../../src/auth/index.ts";
import type { TestAuthContext } from "./auth-context.ts";
import { until } from "../../support/until.ts";

/** Runs `nodes` workers of the outbox until no mail is due any more. */
export async function sendDueMails({ context, database }: TestAuthContext, nodes = 1): Promise<void> {
  const ending = new AbortController();
  const workers = Array.from(
    { length: nodes },
    () => createMailOutbox(context, { random: () => 0.5, pollMs: 10 }).worker,
  );
  const running = workers.map((worker) => worker.run(ending.signal));
  const isDue = async (): Promise<boolean> => {
    const { rows } = await database.owner.query<{ is_due: boolean }>(
      "select exists (select 1 from private.mail_outbox where ended_at is null and due_at <= now()) as is_due",
    );
    return rows[0]?.is_due === true;
  };
  await until(async () => !(await isDue()), "no mail is due");
  ending.abort();
  await Promise.all(running);
}
