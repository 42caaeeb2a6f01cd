import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import type { Principal } from "../../src/db/index.ts";
import { MEMBERSHIP_TEXTS } from "../../src/errors/index.ts";
import { openRestStage, SERVICE } from "../rest/features/rest-stage.ts";
import { openWorld, type SwarmWorld, type Row, type User } from "./support/swarms.ts";

const HOOK = { name: "Hook", url: "https://hooks.example.com/x", events: ["agent.created"] };
const GUARDRAIL = { name: "Cards", kind: "pattern", stage: "input", config: { pattern: "a" } };
const TOOL = { description: "Looks things up" };

type Who = "owner" | "admin" | "member" | "viewer" | "stranger" | "invited" | "mailed";
type Case = readonly [who: Who, line: string, body: object | undefined, code: string, message: string];

describe("a rejected write reports the rule that rejected it", () => {
  const opened = openRestStage(
    `create table public.notes (id uuid primary key default gen_random_uuid(), agent_id uuid references public.agents);
     create function public.veto() returns trigger language plpgsql as
       $$ begin raise exception 'no agents on Mondays' using errcode = '42501'; end $$;
     create trigger veto before insert on public.agents for each row when (new.name = 'Monday') execute function public.veto();
     create policy agents_without_role on public.agents as restrictive for insert to authenticated with check (role is null);`,
  );
  let world: SwarmWorld;
  let people: Record<Who, User>;
  const ids: Record<string, string> = {};

  before(async () => {
    const { stage } = opened;
    world = await openWorld(stage);
    const mailed = await stage.addUser("mailed@example.test");
    await stage.run("update auth.users set proven_email = email where id = $1", [mailed.userId]);
    people = { ...world.people, invited: await stage.addUser(), mailed };
    const { owner, admin, member, stranger, invited } = people;
    const keep = async (name: string, made: Promise<Row>) => {
      ids[name] = (await made).id;
    };
    const membership = (row: object) => world.one(owner, "POST /swarm_members", { swarm_id: world.swarm, ...row });
    await keep("invitedMembership", membership({ user_id: invited.userId }));
    await keep("mailedMembership", membership({ email: "mailed@example.test" }));
    ids["swarm"] = world.swarm;
    ids["ownerMembership"] = await world.membershipOf(owner);
    ids["memberMembership"] = await world.membershipOf(member);
    ids["owner"] = owner.userId;
    ids["stranger"] = stranger.userId;
    ids["gone"] = randomUUID();
    await keep("message", world.say(owner, "Hello"));
    await keep("flag", world.one(member, "POST /message_flags", { message_id: ids["message"] }));
    await keep("resolved", world.one(owner, "POST /message_flags", { message_id: ids["message"] }));
    await world.one(admin, `PATCH /message_flags?id=eq.${ids["resolved"]}`, { status: "dismissed" });
    for (const who of ["owner", "member", "viewer", "stranger", "invited", "mailed"] as const) {
      await keep(`${who}Agent`, world.addAgent(people[who]));
    }
    const place = { swarm_id: world.swarm, agent_id: ids["ownerAgent"] };
    await keep("place", world.one(owner, "POST /swarm_agents", place));
    await keep("publicTool", world.one(SERVICE, "POST /tools", { ...TOOL, name: "all", visibility: "public" }));
    await keep("sharedTool", world.one(owner, "POST /tools", { ...TOOL, name: "ours", visibility: "shared" }));
    await keep("privateTool", world.one(owner, "POST /tools", { ...TOOL, name: "mine" }));
    await keep("hook", world.one(owner, "POST /webhooks", HOOK));
    await keep("delivery", Promise.resolve({ id: randomUUID() }));
  });

  /** `:name` stands for an id, in the line and in the body. */
  const filled = (text: string) => text.replaceAll(/:(\w+)/g, (whole, name: string) => ids[name] ?? whole);

  const NO_MEMBER = "You are not a member of this swarm";
  const NOT_YET =
    "You are invited to this swarm but not yet a member: set the status of your membership to active first";
  const UPSERT = { prefer: "return=representation,resolution=merge-duplicates" };

  const CASES: Readonly<Record<string, readonly Case[]>> = {
    agents: [
      [
        "member",
        "POST /agents",
        { name: "x", user_id: ":owner" },
        "PERMISSION_DENIED",
        "An agent belongs to the user who creates it: user_id must be your own id",
      ],
      [
        "owner",
        "PATCH /agents?id=eq.:ownerAgent",
        { user_id: ":stranger" },
        "PERMISSION_DENIED",
        "Agents cannot be given to another user",
      ],
      [
        "member",
        "UPSERT /agents",
        { id: ":ownerAgent", name: "x" },
        "PERMISSION_DENIED",
        "The agent belongs to another user",
      ],
      [
        "member",
        "PATCH /agents?id=eq.:ownerAgent",
        { name: "x" },
        "PERMISSION_DENIED",
        "The agent belongs to another user",
      ],
      ["member", "POST /agents", { name: "Monday" }, "FORBIDDEN", "no agents on Mondays"],
    ],
    webhooks: [
      [
        "member",
        "POST /webhooks",
        { ...HOOK, user_id: ":owner" },
        "FORBIDDEN",
        "A webhook belongs to the user who creates it: user_id must be your own id",
      ],
      [
        "owner",
        "PATCH /webhooks?id=eq.:hook",
        { user_id: ":stranger" },
        "FORBIDDEN",
        "Webhooks cannot be given to another user",
      ],
      ["member", "UPSERT /webhooks", { ...HOOK, id: ":hook" }, "FORBIDDEN", "The webhook belongs to another user"],
      ["member", "DELETE /webhooks?id=eq.:hook", undefined, "FORBIDDEN", "The webhook belongs to another user"],
    ],
    tools: [
      [
        "member",
        "POST /tools",
        { ...TOOL, name: "x", owner_id: ":owner" },
        "FORBIDDEN",
        "A tool belongs to the user who creates it: owner_id must be your own id",
      ],
      [
        "member",
        "POST /tools",
        { ...TOOL, name: "x", visibility: "public" },
        "FORBIDDEN",
        "Only the service role can make a tool public; visibility must be private or shared",
      ],
      [
        "owner",
        "PATCH /tools?id=eq.:privateTool",
        { visibility: "public" },
        "FORBIDDEN",
        "Only the service role can make a tool public; visibility must be private or shared",
      ],
      [
        "member",
        "PATCH /tools?id=eq.:publicTool",
        { description: "x" },
        "FORBIDDEN",
        "The tool is public: everybody uses it, and only the service role or its owner can change it",
      ],
      [
        "member",
        "DELETE /tools?id=eq.:publicTool",
        undefined,
        "FORBIDDEN",
        "The tool is public: everybody uses it, and only the service role or its owner can change it",
      ],
      ["member", "DELETE /tools?id=eq.:sharedTool", undefined, "FORBIDDEN", "The tool belongs to another user"],
      [
        "member",
        "UPSERT /tools",
        { ...TOOL, name: "x", id: ":sharedTool" },
        "FORBIDDEN",
        "The tool belongs to another user",
      ],
      [
        "owner",
        "PATCH /tools?id=eq.:privateTool",
        { owner_id: ":stranger" },
        "FORBIDDEN",
        "Tools cannot be given to another user",
      ],
    ],
    agent_tools: [
      [
        "member",
        "POST /agent_tools",
        { agent_id: ":ownerAgent", tool_id: ":publicTool" },
        "PERMISSION_DENIED",
        "The agent belongs to another user",
      ],
      [
        "member",
        "POST /agent_tools",
        { agent_id: ":memberAgent", tool_id: ":privateTool" },
        "FORBIDDEN",
        "The tool is private: it must be your own, public, or shared by a member of one of your swarms",
      ],
      [
        "member",
        "POST /agent_tools",
        { agent_id: ":memberAgent", tool_id: ":gone" },
        "TOOL_NOT_FOUND",
        "The tool does not exist",
      ],
    ],
    swarms: [
      [
        "member",
        "POST /swarms",
        { name: "x", owner_id: ":owner" },
        "FORBIDDEN",
        "A swarm belongs to the user who creates it: owner_id must be your own id",
      ],
      [
        "member",
        "PATCH /swarms?id=eq.:swarm",
        { name: "x" },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can change it; your role is member",
      ],
      [
        "viewer",
        "PATCH /swarms?id=eq.:swarm",
        { name: "x" },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can change it; your role is viewer",
      ],
      [
        "admin",
        "DELETE /swarms?id=eq.:swarm",
        undefined,
        "FORBIDDEN",
        "Only the owner of a swarm can delete it; your role is admin",
      ],
      [
        "member",
        "UPSERT /swarms",
        { id: ":swarm", name: "x" },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can change it; your role is member",
      ],
      ["stranger", "UPSERT /swarms", { id: ":swarm", name: "x" }, "FORBIDDEN", NO_MEMBER],
      [
        "owner",
        "PATCH /swarms?id=eq.:swarm",
        { owner_id: ":stranger" },
        "FORBIDDEN",
        "Swarms cannot be given to another user",
      ],
    ],
    swarm_members: [
      ["stranger", "POST /swarm_members", { swarm_id: ":swarm", user_id: ":stranger" }, "FORBIDDEN", NO_MEMBER],
      ["invited", "POST /swarm_members", { swarm_id: ":swarm", user_id: ":stranger" }, "FORBIDDEN", NOT_YET],
      [
        "member",
        "POST /swarm_members",
        { swarm_id: ":swarm", user_id: ":stranger" },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can invite people; your role is member",
      ],
      [
        "owner",
        "POST /swarm_members",
        { swarm_id: ":swarm", user_id: ":stranger", role: "owner" },
        "FORBIDDEN",
        "A swarm has one owner: the role owner cannot be given",
      ],
      [
        "admin",
        "PATCH /swarm_members?id=eq.:memberMembership",
        { role: "owner" },
        "FORBIDDEN",
        "A swarm has one owner: the role owner cannot be given",
      ],
      [
        "admin",
        "PATCH /swarm_members?id=eq.:ownerMembership",
        { role: "member" },
        "FORBIDDEN",
        "The membership of the owner of a swarm can be neither changed nor removed",
      ],
      [
        "owner",
        "DELETE /swarm_members?id=eq.:ownerMembership",
        undefined,
        "FORBIDDEN",
        "The membership of the owner of a swarm can be neither changed nor removed",
      ],
      [
        "viewer",
        "DELETE /swarm_members?id=eq.:memberMembership",
        undefined,
        "FORBIDDEN",
        "Only the owner and admins of a swarm can change or remove the memberships of others; your role is viewer",
      ],
      [
        "member",
        "PATCH /swarm_members?id=eq.:memberMembership",
        { role: "admin" },
        "FORBIDDEN",
        "Only the owner and admins of a swarm change roles",
      ],
      [
        "owner",
        "PATCH /swarm_members?id=eq.:mailedMembership",
        { status: "active" },
        "FORBIDDEN",
        "Only the invited person can accept an invitation",
      ],
      [
        "member",
        "POST /swarm_members",
        { swarm_id: ":gone", user_id: ":stranger" },
        "SWARM_NOT_FOUND",
        "The swarm does not exist",
      ],
    ],
    swarm_agents: [
      ["stranger", "POST /swarm_agents", { swarm_id: ":swarm", agent_id: ":strangerAgent" }, "FORBIDDEN", NO_MEMBER],
      ["mailed", "POST /swarm_agents", { swarm_id: ":swarm", agent_id: ":mailedAgent" }, "FORBIDDEN", NOT_YET],
      [
        "member",
        "POST /swarm_agents",
        { swarm_id: ":swarm", agent_id: ":memberAgent" },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can add agents to it; your role is member",
      ],
      [
        "owner",
        "POST /swarm_agents",
        { swarm_id: ":swarm", agent_id: ":memberAgent" },
        "PERMISSION_DENIED",
        "The agent belongs to another user",
      ],
      [
        "member",
        "PATCH /swarm_agents?id=eq.:place",
        { enabled: false },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can change or remove the agents of others in it; your role is member",
      ],
      [
        "viewer",
        "DELETE /swarm_agents?id=eq.:place",
        undefined,
        "FORBIDDEN",
        "Only the owner and admins of a swarm can change or remove the agents of others in it; your role is viewer",
      ],
      [
        "stranger",
        "POST /swarm_agents",
        { swarm_id: ":gone", agent_id: ":strangerAgent" },
        "SWARM_NOT_FOUND",
        "The swarm does not exist",
      ],
    ],
    messages: [
      ["stranger", "POST /messages", { swarm_id: ":swarm", content: "x" }, "FORBIDDEN", NO_MEMBER],
      ["invited", "POST /messages", { swarm_id: ":swarm", content: "x" }, "FORBIDDEN", NOT_YET],
      ["mailed", "POST /messages", { swarm_id: ":swarm", content: "x" }, "FORBIDDEN", NOT_YET],
      [
        "viewer",
        "POST /messages",
        { swarm_id: ":swarm", content: "x" },
        "FORBIDDEN",
        "Viewers of a swarm can only read its messages; writing needs the role member, admin or owner",
      ],
      [
        "stranger",
        "POST /messages",
        { swarm_id: ":gone", content: "x" },
        "SWARM_NOT_FOUND",
        "The swarm does not exist",
      ],
      [
        "admin",
        "PATCH /messages?id=eq.:message",
        { content: "x" },
        "FORBIDDEN",
        "Only the author of a message can edit it",
      ],
      [
        "viewer",
        "PATCH /messages?id=eq.:message",
        { content: "x" },
        "FORBIDDEN",
        "Viewers of a swarm can only read its messages; writing needs the role member, admin or owner",
      ],
      [
        "member",
        "DELETE /messages?id=eq.:message",
        undefined,
        "FORBIDDEN",
        "Only its author, and the owner and admins of the swarm, can delete a message; your role is member",
      ],
    ],
    message_flags: [
      [
        "member",
        "PATCH /message_flags?id=eq.:flag",
        { status: "upheld" },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can resolve a flag; your role is member",
      ],
      [
        "admin",
        "DELETE /message_flags?id=eq.:flag",
        undefined,
        "FORBIDDEN",
        "Only the person who raised a flag can withdraw it",
      ],
      [
        "owner",
        "DELETE /message_flags?id=eq.:resolved",
        undefined,
        "FORBIDDEN",
        "A flag that was resolved can no longer be withdrawn",
      ],
      [
        "stranger",
        "POST /message_flags",
        { message_id: ":message" },
        "MESSAGE_NOT_FOUND",
        "The message does not exist",
      ],
    ],
    guardrails: [
      [
        "member",
        "POST /guardrails",
        { swarm_id: ":swarm", ...GUARDRAIL },
        "FORBIDDEN",
        "Only the owner and admins of a swarm can change its guardrails; your role is member",
      ],
      ["stranger", "POST /guardrails", { swarm_id: ":swarm", ...GUARDRAIL }, "FORBIDDEN", MEMBERSHIP_TEXTS.stranger],
    ],
    profiles: [
      ["owner", "POST /profiles", { id: ":owner" }, "FORBIDDEN", "Profiles are created and deleted with their account"],
      [
        "owner",
        "DELETE /profiles?id=eq.:owner",
        undefined,
        "FORBIDDEN",
        "Profiles are created and deleted with their account",
      ],
    ],
    user_settings: [
      [
        "owner",
        "UPSERT /user_settings",
        { user_id: ":owner" },
        "FORBIDDEN",
        "Settings are created and deleted with their account",
      ],
      [
        "owner",
        "DELETE /user_settings?user_id=eq.:owner",
        undefined,
        "FORBIDDEN",
        "Settings are created and deleted with their account",
      ],
    ],
    "what only the service writes": [
      [
        "owner",
        "DELETE /webhook_deliveries?id=eq.:delivery",
        undefined,
        "FORBIDDEN",
        "webhook_deliveries is read-only: only the service itself writes it",
      ],
      [
        "owner",
        "PATCH /runs?id=eq.:gone",
        { status: "failed" },
        "FORBIDDEN",
        "runs is read-only: only the service itself writes it",
      ],
      [
        "owner",
        "POST /models",
        { framework: "provider_a", id: "m", position: 0 },
        "FORBIDDEN",
        "models is read-only: only the service itself writes it",
      ],
    ],
    "rules that somebody has added": [
      [
        "member",
        "POST /agents",
        { name: "x", role: "r" },
        "FORBIDDEN",
        'new row violates row-level security policy "agents_without_role" for table "agents"',
      ],
    ],
  };

  async function responseTo(
    as: Principal,
    line: string,
    body: object | undefined,
  ): Promise<[code: unknown, message: unknown]> {
    const isUpsert = line.startsWith("UPSERT ");
    const sent = body === undefined ? undefined : (JSON.parse(filled(JSON.stringify(body))) as object);
    const { json } = await world.ask(as, filled(line.replace("UPSERT ", "POST ")), sent, isUpsert ? UPSERT : {});
    const { code, message } = (json ?? {}) as Record<string, unknown>;
    return [code, message];
  }

  for (const [table, cases] of Object.entries(CASES)) {
    it(table, async () => {
      for (const [who, line, body, code, message] of cases) {
        const shown = `${who}: ${line} ${JSON.stringify(body)}`;
        assert.deepEqual(await responseTo(people[who], line, body), [code, message], shown);
      }
    });
  }

  it("also for the service role", async () => {
    const row = { framework: "provider_a", id: "m", position: 0 };
    assert.deepEqual(await responseTo(SERVICE, "POST /models", row), [
      "FORBIDDEN",
      "models is read-only: only the service itself writes it",
    ]);
  });

  it("in a list, with the index of the row and its field", async () => {
    const { member, stranger } = people;
    const rows = [world.swarm, ids["gone"]].map((swarm_id) => ({ swarm_id, content: "x" }));
    const hidden = await world.ask(stranger, "POST /messages", rows);
    assert.deepEqual((hidden.json as Row)["details"], { "0.swarm_id": NO_MEMBER });
    const mixed = await world.ask(member, "POST /messages", rows);
    assert.deepEqual((mixed.json as Row)["details"], { "1.swarm_id": "names no swarm that exists" });
  });

  it("a hidden row is not revealed by an update, only by a write that names its swarm", async () => {
    const { stranger } = people;
    for (const [line, body] of [
      ["PATCH /swarms?id=eq.:swarm", { name: "x" }],
      ["DELETE /swarms?id=eq.:swarm", undefined],
      ["PATCH /messages?id=eq.:message", { content: "x" }],
      ["DELETE /swarm_members?id=eq.:memberMembership", undefined],
      ["DELETE /tools?id=eq.:privateTool", undefined],
      ["GET /swarms?id=eq.:swarm", undefined],
    ] as const) {
      assert.deepEqual(await world.outcome(stranger, filled(line), body), [], line);
    }
    const single = await world.ask(stranger, filled("GET /swarms?id=eq.:swarm"), undefined, {
      accept: "application/vnd.pgrst.object+json",
    });
    assert.deepEqual([single.status, (single.json as Row)["code"]], [406, "PGRST116"]);
  });

  it("a missing privilege on a user table keeps the database's message", async () => {
    const { status, json } = await world.ask(people.owner, "GET /agents?select=*,notes(*)");
    const { code, message } = json as Row;
    assert.deepEqual([status, code, message], [403, "FORBIDDEN", "permission denied for table notes"]);
  });
});
