import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { readBody } from "../read-input.ts";
import { countMails } from "../sql/count-mails.ts";

const PATH = "/operator/v1/mail";

export const mailRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: PATH, action: "mail.read", handler: readMail },
  { method: "POST", path: `${PATH}/test`, action: "mail.test", handler: testMail },
];

async function readMail(_request: OperatorRequest, { database, operations }: OperatorContext) {
  return { body: { transport: operations.mailTransport(), outbox: await database.asService(countMails) } };
}

/** Only to the operator's own address, so that the call cannot send mail to others. */
async function testMail({ body, operatorId, noteDetails }: OperatorRequest, { operations }: OperatorContext) {
  readBody(body ?? {}, []);
  const test = await operations.sendTestMail(operatorId);
  noteDetails({ is_ok: test.is_ok });
  return { body: { test } };
}
