import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { describe, it } from "node:test";
import type { Finding } from "../../src/commands/doctor/finding.ts";
import { answers, assertFound, check, DAY_MS, HEALTHY, serve } from "./support/deployments.ts";

describe("doctor --url on responses", () => {
  const broken: readonly (readonly [name: string, answer: RequestListener, what: RegExp])[] = [
    ["another program", (_request, response) => void response.end("<html>"), /no answer of Swarmbase \(status 200\)/],
    ["a proxy without service", (_request, response) => void response.writeHead(502).end(), /\(status 502\)/],
    [
      "a redirect to itself",
      ({ url }, response) => void response.writeHead(302, { location: url }).end(),
      /answered with a redirect, which is not followed/,
    ],
    ["a closed connection", (request) => void request.socket.destroy(), /was closed/],
    ["null", (_request, response) => void response.end("null"), /status 200/],
    [
      "a compressed response",
      (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
      /compressed/,
    ],
    [
      "a response without end",
      (_request, response) => {
        const send = (): void => {
          while (response.write(Buffer.alloc(65_536, " ")));
          response.once("drain", send);
        };
        send();
      },
      /larger than 1 MiB/,
    ],
  ];
  for (const [name, answer, what] of broken) {
    it(`reports ${name}`, async (t) => {
      const all = await check(await serve(t, answer));
      assertFound(all, [["health", "fault", what]]);
      assert.equal(all.length, 2);
    });
  }

  const clocks = [
    [-DAY_MS, "fault", /clock is 86\d\d\d s behind/],
    [DAY_MS, "fault", /clock is 86\d\d\d s ahead of/],
    [20_000, "warning", /clock is (1\d|20) s ahead of/],
    [0, "ok", /agrees/],
  ] as const;
  for (const [offMs, level, what] of clocks) {
    it(`compares a clock that is ${offMs / 1_000} s off`, async (t) => {
      const date = new Date(Date.now() + offMs).toUTCString();
      assertFound(await check(await serve(t, answers(HEALTHY, { date }))), [["clock", level, what]]);
    });
  }

  it("reports a service that is not ready, held, and without limits, and prints no foreign control characters", async (t) => {
    const bodies = {
      "/health": { status: "ok", version: "1\u001b[2J\nok", restored_copy: "held", limit_store: "unavailable" },
      "/auth/v1/.well-known/openid-configuration": { issuer: `https://elsewhere.example\n${"x".repeat(5_000)}` },
    };
    const url = await serve(t, (request, response) => {
      if (request.url !== "/ready") return answers(bodies)(request, response);
      response.writeHead(503).end(JSON.stringify({ error: { message: "The disk of the database is full" } }));
    });
    const all = await check(url);
    assertFound(all, [
      ["ready", "fault", /503: The disk of the database is full/],
      ["copy", "warning", /restored copy/],
      ["limits", "warning", /REDIS_URL/],
      ["limits", "warning", /no rate limit/],
      ["public url", "fault", /elsewhere\.example/],
    ]);
    for (const { what } of all) assert.ok(!/\p{Cc}/u.test(what) && what.length < 600, what);
  });

  it("judges what an operator may ask for, whatever shape it has", async (t) => {
    const judge = async (bodies: Readonly<Record<string, unknown>>): Promise<readonly Finding[]> =>
      check(await serve(t, answers({ ...HEALTHY, ...bodies })), { operatorToken: "token" });
    const mail = (via: string, failed: number) => ({ transport: { via }, outbox: { retrying: 0, failed } });
    const backups = (state: unknown) => ({ backups: { target: "/backups", base_interval_seconds: 86_400, state } });
    const limits = (value: string) => ({
      settings: [
        { name: "LIMIT_AUTH", value },
        { name: "PORT", value: "0" },
      ],
    });
    const now = new Date().toISOString();
    const call = (name: string) => `/operator/v1/${name}`;

    assertFound(
      await judge({
        [call("mail")]: mail("smtp", 0),
        [call("nodes")]: backups({ base_at: now, failures: 0, verification: { is_ok: true } }),
        [call("settings")]: limits("10"),
      }),
      [
        ["mail", "ok", /no mail has failed/],
        ["backup", "ok", /last base backup/],
        ["limits", "ok", /^LIMIT_AUTH 10$/],
      ],
    );
    assertFound(
      await judge({
        [call("mail")]: mail("smtp", 2),
        [call("nodes")]: backups({ base_at: now, failures: 3 }),
        [call("settings")]: limits("0"),
      }),
      [
        ["mail", "warning", /2 were given up/],
        ["backup", "fault", /has failed/],
        ["limits", "warning", /LIMIT_AUTH 0$/],
      ],
    );
    assertFound(
      await judge({
        [call("mail")]: mail("files", 0),
        [call("nodes")]: backups({ base_at: "2020-01-01T00:00:00Z", failures: 0 }),
        [call("settings")]: { settings: "none" },
      }),
      [
        ["mail", "warning", /no mail server/],
        ["backup", "fault", /late; it is of 2020/],
      ],
    );
    assertFound(await judge({ [call("mail")]: [1], [call("nodes")]: { backups: 1 } }), [
      ["mail", "warning", /no mail server/],
      ["operator", "warning", /404/],
    ]);
  });
});
