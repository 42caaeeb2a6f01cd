import type { Clock } from "../../../time/index.ts";
import { printable } from "../../printable.ts";
import type { Findings } from "../finding.ts";
import { type Ask, pick } from "./deployment-client.ts";

interface OperationsOptions {
  readonly clock: Clock;
  readonly anonKey: string | null;
  readonly operatorToken: string | null;
}

/** What only the public client key or an operator may ask for: mail, backups, limits. */
export async function checkOperations(
  ask: Ask,
  { clock, anonKey, operatorToken }: OperationsOptions,
  findings: Findings,
): Promise<void> {
  const key = anonKey ?? pick((await ask("/console.json")).body, "anon_key");
  const apikey: Readonly<Record<string, string>> = typeof key === "string" ? { apikey: key } : {};
  if (typeof key === "string") judgeSignUp((await ask("/auth/v1/settings", apikey)).body, findings);
  if (operatorToken === null) {
    return findings.ok("operator", "OPERATOR_ACCESS_TOKEN is not set: mail server, backups and all limits not checked");
  }
  const judges = [
    ["mail", judgeMail],
    ["nodes", (body: unknown) => judgeBackups(pick(body, "backups"), clock, findings)],
    ["settings", judgeLimits],
  ] as const;
  for (const [name, judge] of judges) {
    const headers = { ...apikey, authorization: `Bearer ${operatorToken}` };
    const { status, message, body } = await ask(`/operator/v1/${name}`, headers);
    if (status === 200) judge(body, findings);
    else {
      // The same cause would fail the other calls.
      return findings.warn("operator", {
        what: `the service did not accept the call with OPERATOR_ACCESS_TOKEN (${status}): ${printable(message)}`,
        why: "Mail server, backups and all limits were not checked.",
        advice:
          "Set it to the access token of an operator who has just signed in with a second factor. The service needs OPERATOR_ENABLED=true, and this command ANON_KEY where the console is disabled.",
      });
    }
  }
}

function judgeSignUp(body: unknown, findings: Findings): void {
  if (pick(body, "disable_signup") !== false || pick(body, "mailer_autoconfirm") !== true) return;
  findings.warn("mail", {
    what: "everybody can sign up, and accounts are confirmed without a mail",
    why: "Anybody can have an account with the address of somebody else.",
    advice: "Set SMTP_URL and no AUTH_AUTOCONFIRM, or AUTH_SIGNUP_ENABLED=false.",
  });
}

function judgeMail(body: unknown, findings: Findings): void {
  const [retrying, failed] = ["retrying", "failed"].map((name) => Number(pick(body, "outbox", name)));
  const hasServer = pick(body, "transport", "via") === "smtp";
  if (hasServer && retrying === 0 && failed === 0)
    return findings.ok("mail", "a mail server is set, and no mail has failed");
  findings.warn("mail", {
    what: hasServer
      ? `${retrying} mails are sent again after a failure, ${failed} were given up`
      : "no mail server is set",
    why: "Confirmations, password resets and magic links reach nobody.",
    advice: "Set SMTP_URL and MAIL_FROM, and send a test mail on the operator page Mail.",
  });
}

function judgeBackups(backups: unknown, clock: Clock, findings: Findings): void {
  const baseAt = pick(backups, "state", "base_at");
  const ageMs = clock.now().getTime() - Date.parse(String(baseAt));
  const isBroken =
    Number(pick(backups, "state", "failures")) > 0 || pick(backups, "state", "verification", "is_ok") === false;
  if (typeof pick(backups, "target") !== "string") {
    findings.warn("backup", {
      what: "the service archives nothing",
      why: "Without other backups, all rows are lost with the disk of the database.",
      advice: "Set BACKUP_DIR or BACKUP_S3_URL, unless the database is backed up in another way.",
    });
  } else if (isBroken || !(ageMs <= 2_000 * Number(pick(backups, "base_interval_seconds")))) {
    findings.fault("backup", {
      what: isBroken
        ? "the archive or its last verification has failed"
        : `the last base backup is late; it is of ${typeof baseAt === "string" ? printable(baseAt) : "no known time"}`,
      why: "A restore may fail, or lack rows.",
      advice: "See the operator page Nodes, and the log of the process that archives.",
    });
  } else findings.ok("backup", `the last base backup is of ${printable(String(baseAt))}`);
}

function judgeLimits(body: unknown, findings: Findings): void {
  const list = pick(body, "settings");
  const limits = (Array.isArray(list) ? list : []).filter((row) => /^LIMIT_[A-Z]+$/.test(String(pick(row, "name"))));
  const show = (row: unknown): string => printable(`${String(pick(row, "name"))} ${String(pick(row, "value"))}`);
  const off = limits.filter((row) => pick(row, "value") === "0");
  if (off.length === 0) return findings.ok("limits", limits.map(show).join(", ") || "none is known");
  findings.warn("limits", {
    what: `there is no limit where the setting is 0: ${off.map(show).join(", ")}`,
    why: "One user or address can use up the service, guess passwords, or cause costs.",
    advice: "Set them to what one user needs in a minute.",
  });
}
