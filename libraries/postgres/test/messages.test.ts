import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../../server/test/support/any-character.ts";
import { MessageWriter } from "../src/message-writer.ts";

interface Message {
  readonly code: string;
  readonly body: Buffer;
}

function split(bytes: Buffer): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readInt32BE(at + 1);
    messages.push({ code: String.fromCharCode(bytes[at] ?? 0), body: bytes.subarray(at + 5, at + 1 + length) });
    at += 1 + length;
  }
  return messages;
}

function readBind(body: Buffer): { name: string; values: (string | null)[] } {
  assert.equal(body[0], 0, "the unnamed portal");
  const nameEnd = body.indexOf(0, 1);
  let at = nameEnd + 1;
  assert.equal(body.readUInt16BE(at), 0, "all values are text");
  const count = body.readUInt16BE(at + 2);
  at += 4;
  const values = Array.from({ length: count }, () => {
    const length = body.readInt32BE(at);
    at += 4;
    if (length === -1) return null;
    at += length;
    return body.toString("utf8", at - length, at);
  });
  assert.equal(body.readUInt16BE(at), 0, "all results are text");
  assert.equal(at + 2, body.length);
  return { name: body.toString("utf8", 1, nameEnd), values };
}

const wellFormed = fc.string({ unit: ANY_CHARACTER });
const name = wellFormed.filter((text) => !text.includes("\0"));

describe("messages", () => {
  it("contain what they were given, of any length", () => {
    const writer = new MessageWriter();
    const values = fc.array(fc.option(fc.tuple(wellFormed, fc.nat(3_000)).map(([text, times]) => text.repeat(times))));
    fc.assert(
      fc.property(name, name, values, (statement, text, values) => {
        writer.start();
        writer.closeStatement(statement);
        writer.parse(statement, text);
        writer.bind(statement, values);
        writer.execute();
        writer.sync();
        writer.query(text);
        const [close, parse, bind, execute, sync, query, ...rest] = split(writer.take());
        assert.deepEqual(rest, []);
        assert.deepEqual(close, { code: "C", body: Buffer.from(`S${statement}\0`) });
        assert.deepEqual(parse, { code: "P", body: Buffer.from(`${statement}\0${text}\0\0\0`) });
        assert.equal(bind?.code, "B");
        assert.deepEqual(readBind(bind?.body ?? Buffer.alloc(0)), { name: statement, values });
        assert.deepEqual(execute, { code: "E", body: Buffer.alloc(5) });
        assert.deepEqual(sync, { code: "S", body: Buffer.alloc(0) });
        assert.deepEqual(query, { code: "Q", body: Buffer.from(`${text}\0`) });
      }),
    );
  });

  it("do not include those of an abandoned write", () => {
    const writer = new MessageWriter();
    writer.start();
    writer.parse("half", "select 1");
    writer.start();
    writer.sync();
    assert.deepEqual(split(writer.take()), [{ code: "S", body: Buffer.alloc(0) }]);
  });

  it("that were taken are not overwritten", () => {
    const writer = new MessageWriter();
    const write = (text: string): Buffer => {
      writer.start();
      writer.query(text);
      return writer.take();
    };
    const first = write("a".repeat(50_000));
    write("b".repeat(50_000));
    assert.equal(split(first)[0]?.body.toString(), `${"a".repeat(50_000)}\0`);
  });

  it("hold up to 65,535 values", () => {
    const writer = new MessageWriter();
    writer.start();
    writer.bind(
      "s",
      Array.from({ length: 65_535 }, () => null),
    );
    assert.equal(readBind(split(writer.take())[0]?.body ?? Buffer.alloc(0)).values.length, 65_535);
  });
});
