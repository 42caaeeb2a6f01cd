import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import type { Instance } from "./instance.ts";

const POLL_MS = 50;

const VERIFY = /https:\/\/[^\s"<>]+\/verify\?[^\s"<>]+/;
export const INVITATION = /https:\/\/[^\s"<>]+\/invitations\/[0-9a-f-]{36}#secret=[\w-]+/;

const CODE = /(?<=Your code: )[0-9]{6}/;

/** The code of the newest mail with one to an address. */
export function findCode(instance: Instance, email: string): Promise<string> {
  return findLink(instance, email, CODE);
}

/** The link of the newest mail to an address. Without a mail server, mails are files. */
export async function findLink({ dataDir }: Instance, email: string, pattern = VERIFY): Promise<string> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) {
    // A file that is still being written has another name.
    const names = (await readdir(join(dataDir, "mail")).catch(() => []))
      .filter((name) => name.endsWith(".eml") && !name.startsWith("."))
      .toSorted((left, right) => (left < right ? 1 : -1));
    for (const name of names) {
      const text = await readFile(join(dataDir, "mail", name), "utf8");
      const link = pattern.exec(text.replace(/=\r?\n/g, "").replaceAll("=3D", "="))?.[0];
      if (text.includes(email) && link !== undefined) return link.replaceAll("&amp;", "&");
    }
  }
  throw new Error(`no mail to ${email}`);
}
