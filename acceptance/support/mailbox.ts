import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { folderOf, type Service } from "./service.ts";
import { WAIT_MS } from "./eventually.ts";

interface ReceivedMail {
  to: string;
  subject: string;
  text: string;
  /** Empty when the mail has none. */
  link: string;
  /** Empty when the mail has none. */
  code: string;
}

export interface Mailbox {
  /** Waits for the oldest mail to this address that was not taken yet. */
  take(address: string): Promise<ReceivedMail>;
  /** The number of mails that arrived and were not taken. */
  countUnread(address: string): Promise<number>;
}

const POLL_MS = 10;

/** Reads the mails that a service without a mail server writes to its data directory. */
export function openMailbox(service: Service): Mailbox {
  const folder = join(folderOf(service), "mail");
  const taken = new Set<string>();

  const findUnread = async (address: string): Promise<[string, ReceivedMail][]> => {
    const names = await readdir(folder).catch(() => []);
    const unread = names.filter((name) => name.endsWith(".eml") && !name.startsWith(".") && !taken.has(name));
    const mails: [string, ReceivedMail][] = [];
    for (const name of unread.toSorted()) mails.push([name, parseMail(await readFile(join(folder, name), "utf8"))]);
    return mails.filter(([, { to }]) => to === address);
  };

  return {
    async take(address) {
      const deadline = Date.now() + WAIT_MS;
      for (;;) {
        const [first] = await findUnread(address);
        if (first !== undefined) {
          taken.add(first[0]);
          return first[1];
        }
        if (Date.now() > deadline) throw new Error(`No mail to ${address} arrived.`);
        await wait(POLL_MS);
      }
    },
    countUnread: async (address) => (await findUnread(address)).length,
  };
}

function parseMail(source: string): ReceivedMail {
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(source)?.[1] ?? "";
  const text = /Content-Type: text\/plain.*?\n\n(.*?)\n--/s.exec(source)?.[1] ?? "";
  return {
    to: header("To"),
    subject: header("Subject"),
    text,
    link: /^https:\/\/\S+$/m.exec(text)?.[0] ?? "",
    code: /\bcode: (\d+)$/m.exec(text)?.[1] ?? "",
  };
}
