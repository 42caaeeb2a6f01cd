import { startOwnService } from "../../acceptance/support/service.ts";
import { compare } from "../load/compare.ts";
import { createPasswordChecks } from "./password-checks.ts";
import { createServiceCalls } from "./service-calls.ts";
import { createTokenChecks } from "./token-checks.ts";

const PASSWORD = "correct horse battery staple";
const CONNECTIONS = 8;
const TOKEN_USERS = 1_000;
/** All comparisons together stay below half a minute. */
const ROUND_MS = { signIn: 400, tokens: 100, calls: 300 };

const service = await startOwnService({});
try {
  const calls = await createServiceCalls(service, { password: PASSWORD, connections: CONNECTIONS });
  const passwordChecks = await createPasswordChecks(PASSWORD, CONNECTIONS);
  const tokens = await createTokenChecks(TOKEN_USERS);
  const results = [
    await compare(
      { name: "Sign-in against the limit of its password hash", subject: calls.signIn, yardstick: passwordChecks },
      ROUND_MS.signIn,
    ),
    await compare(
      {
        name: "Token check with and without the memory of verified tokens",
        subject: tokens.remembered,
        yardstick: tokens.verified,
      },
      ROUND_MS.tokens,
    ),
    await compare(
      {
        name: "A request with a token and its live session against one with nothing",
        subject: calls.getUser,
        yardstick: calls.getHealth,
      },
      ROUND_MS.calls,
    ),
  ];
  calls.close();
  process.stdout.write(`${results.join("\n\n")}\n`);
} finally {
  await service.stop();
}
