import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rootCertificates } from "node:tls";
import { readAuthorities } from "../../src/webhooks/index.ts";

test("WEBHOOK_CA_FILE must have valid certificates", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-authorities-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "ca.pem");
  const read = async (text: string): Promise<string[]> => {
    await writeFile(file, text);
    return readAuthorities({ localFile: null, ownFile: file });
  };
  const [one = "", other = ""] = rootCertificates;
  const both = `# two authorities\n${one}\n${other}\n`;
  assert.deepEqual(await read(both), [both]);
  assert.deepEqual(await readAuthorities({ localFile: file, ownFile: null }), [both]);
  const damaged = other.replace(/M/, "N");
  for (const text of ["", "not a certificate", damaged, `${one}\n${damaged}`, one.slice(0, -30)])
    await assert.rejects(read(text), /WEBHOOK_CA_FILE names a file that has no valid certificates in PEM format/);
  const missing = { localFile: null, ownFile: join(folder, "none.pem") };
  await assert.rejects(readAuthorities(missing), /WEBHOOK_CA_FILE names a file that cannot be read/);
});
