import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Cleanup } from "../support/database.ts";

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string;
  readonly source: string;
}

export interface TestSmtpServer {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  readonly connections: () => number;
}

export const CREDENTIALS = { user: "post@example.com", pass: "pass:word/@" };

/** A mail server on the loopback address. `options` change how it behaves. */
export async function startSmtpServer(t: Cleanup, options: SMTPServerOptions = {}, port = 0): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onConnect: (_session, callback) => {
      connections += 1;
      callback();
    },
    onAuth: ({ username = "", password }, _session, callback) => {
      const isRight = username === CREDENTIALS.user && password === CREDENTIALS.pass;
      callback(isRight ? null : new Error("no such user"), isRight ? { user: username } : undefined);
    },
    onData: (stream, { envelope, user }, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        received.push({
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          user: String(user),
          source: Buffer.concat(chunks).toString(),
        });
        callback();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  server.server.on("connection", (socket: Socket) => sockets.add(socket.once("close", () => sockets.delete(socket))));
  const listener = server.listen(port, "127.0.0.1");
  await once(listener, "listening");
  t.after(async () => {
    const closed = new Promise<void>((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const { port: taken } = listener.address() as AddressInfo;
  const { user, pass } = CREDENTIALS;
  const url = `smtp://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@127.0.0.1:${taken}`;
  return { url, port: taken, received, connections: () => connections };
}
