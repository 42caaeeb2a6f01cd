import { hash, verify } from "@node-rs/argon2";
import type { Contender } from "../load/compare.ts";

/** The defaults of the settings AUTH_PASSWORD_*. */
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The upper bound: password comparisons in a process that does nothing else. */
export async function createPasswordChecks(password: string, concurrency: number): Promise<Contender> {
  const hashed = await hash(password, COSTS);
  return {
    name: `argon2 comparisons in one process, ${concurrency} at a time`,
    concurrency,
    perCall: 1,
    work: async () => {
      if (!(await verify(hashed, password))) throw new Error("The password does not match its hash.");
    },
  };
}
