import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { isIPv4 } from "node:net";

interface NameServer {
  readonly address: string;
  readonly questions: readonly string[];
}

const TYPES = new Map([
  [1, "A"],
  [28, "AAAA"],
]);
const NOT_FOUND = 3;
const ANSWER_FLAGS = 0x8180;

/** A DNS server on loopback with addresses by name. A name that is not in the table does not exist; null gets no answer. */
export async function startNameServer(
  t: Pick<TestContext, "after">,
  records: Readonly<
    Record<string, { addresses: readonly string[]; ttlSeconds: number; silentFor?: "A" | "AAAA" } | null>
  >,
): Promise<NameServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  socket.on("message", (message, from) => {
    const { name, type, end } = readQuestion(message);
    questions.push(`${TYPES.get(type) ?? type} ${name}`);
    const record = records[name];
    if (record === null || (record?.silentFor !== undefined && record.silentFor === TYPES.get(type))) return;
    const wanted = (record?.addresses ?? []).filter((address) => isIPv4(address) === (type === 1));
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(ANSWER_FLAGS | (record === undefined ? NOT_FOUND : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(wanted.length, 6);
    const answers = wanted.map((address) => renderAnswer(address, type, record?.ttlSeconds ?? 0));
    socket.send(Buffer.concat([head, message.subarray(12, end), ...answers]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, questions };
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function renderAnswer(address: string, type: number, ttlSeconds: number): Buffer {
  const bytes = isIPv4(address) ? address.split(".").map(Number) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttlSeconds, 6);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

/** Supports addresses with one gap. */
function ipv6Bytes(address: string): number[] {
  const [head = "", tail = ""] = address.split("::");
  const left = head.split(":").filter((group) => group !== "");
  const right = tail.split(":").filter((group) => group !== "");
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}
