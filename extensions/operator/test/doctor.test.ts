import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runHere } from "../../../server/test/support/run-here.ts";
import { type OperatorService, startOperatorService } from "./support/operator-service.ts";

const closers: (() => unknown)[] = [];
let service: OperatorService;

before(async () => {
  service = await startOperatorService({ after: (close) => void closers.unshift(close) }, { LIMIT_AI: "0" });
});
after(async () => {
  for (const close of closers) await close();
});

async function examine(token: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const args = ["doctor", "--url", service.url, "--ca", service.authorityFile];
  const { stdout, stderr } = await runHere(args, { OPERATOR_ACCESS_TOKEN: token, ANON_KEY: service.anonKey, ...more });
  assert.equal(stderr, "");
  assert.ok(!stdout.includes(token));
  return stdout;
}

test("doctor --url asks for mails, backups and limits with the session of an operator", async () => {
  const { token } = await service.createOperator("olga");
  const printed = await examine(token);
  assert.match(printed, /^warn {3}mail +no mail server is set$/m);
  assert.match(printed, /^warn {3}backup +the service archives nothing$/m);
  assert.match(printed, /^warn {3}limits +there is no limit where the setting is 0: .*LIMIT_AI 0/m);
});

test("doctor --url says why it may not ask", async () => {
  const { token } = await service.signUp("ulla");
  assert.match(
    await examine(token, { ANON_KEY: "" }),
    /^warn {3}operator +the service did not accept .*\(401\): No API key/m,
  );
  assert.match(
    await examine(token),
    /^warn {3}operator +the service did not accept .*\(403\): This account is not an operator$/m,
  );
});
