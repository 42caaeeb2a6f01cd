import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Catalogue } from "../../src/rest/catalogue/catalogue.ts";
import { describeCandidate, suggestEmbedding } from "../../src/rest/catalogue/describe-candidate.ts";
import { findRelationships } from "../../src/rest/catalogue/find-relationships.ts";
import type { Relationship } from "../../src/rest/catalogue/relationships.ts";
import { openCatalogueStage } from "./catalogue-stage.ts";

const OBJECTS = `
create schema shop; create schema back; create schema other;
create table shop.clients (id int primary key, name text);
create table shop.projects (id int primary key, client_id int references shop.clients, backup_client_id int);
create table shop.details (project_id int primary key references shop.projects, text text);
create table shop.users (id int primary key, boss_id int references shop.users, mentor_id int references shop.users, next_id int unique references shop.users);
create table shop.memberships (user_id int references shop.users, project_id int references shop.projects, primary key (user_id, project_id));
create table shop.follows (follower_id int references shop.users, followed_id int references shop.users, primary key (follower_id, followed_id));
create table shop.people (id int primary key, name text);
create table shop.tickets (id int primary key, author_id int references shop.people, closer_id int references shop.people);
create table shop.rooms (floor int, number int, primary key (floor, number));
create table shop.bookings (id int primary key, floor int, number int, foreign key (number, floor) references shop.rooms (number, floor));
create table shop.tags (id int primary key);
create table shop.taggings (id int primary key, tag_id int not null references shop.tags, room_floor int, room_number int, note text,
  unique (room_floor, room_number, tag_id), foreign key (room_floor, room_number) references shop.rooms);
create table shop.logs (id int, at date, client_id int references shop.clients, primary key (id, at)) partition by range (at);
create table shop.logs_2026 partition of shop.logs for values from ('2026-01-01') to ('2027-01-01');
create table shop.log_notes (id int primary key, log_id int, log_at date, foreign key (log_id, log_at) references shop.logs);
create table shop."Bücher" ("Nr." int primary key, "der Kunde" int constraint "Bücher zu Kunden" references shop.clients);
create table other.clients (id int primary key, project_id int references shop.projects);

create table back.orders (id int primary key, buyer int references shop.clients, place_floor int, place_number int,
  foreign key (place_floor, place_number) references shop.rooms);
create table back.items (id int primary key, order_id int references back.orders);
create view back.inner_orders as select buyer as b, id as i, place_number as n, place_floor as f from back.orders;

create view shop.orders as select i as order_no, b as who, f as at_floor, n as at_number from back.inner_orders;
create view shop.items as with all_items as (select * from back.items) select id, order_id as ordered_by from (select * from all_items) as deep;
create view shop.client_names as select id as client, upper(name) as shouted from shop.clients;
create view shop.project_clients as
  select p.id as project, p.client_id as owner, c.id as client, c.name from shop.projects p left join shop.clients c on c.id = p.client_id;
create view shop.half_rooms as select floor from shop.rooms;
create view shop.either as select id from shop.clients union all select id from shop.tags;
create view shop.computed_ids as select id + 0 as id from shop.clients;
create materialized view shop.kept_projects as select id, client_id from shop.projects where (select count(*) from shop.clients c where c.id = client_id) > 0;
create view shop.membership_list as select user_id, project_id from shop.memberships;
create view shop.client_totals as select client_id, count(*) as many from shop.projects group by client_id;

create function shop.newest(c shop.clients) returns setof shop.projects rows 1 language sql as 'select * from shop.projects';
create function shop.all_projects(c shop.clients) returns setof shop.projects language sql as 'select * from shop.projects';
create function shop.details(c shop.projects) returns setof shop.details language sql as 'select * from shop.details';
create function shop.boss(u shop.users) returns shop.users language sql as 'select u';
`;

/** `kind target by what: columns`, for reading. */
function show(relationship: Relationship): string {
  const pairs = (columns: readonly (readonly [string, string])[]) => columns.map(([a, b]) => `${a}=${b}`).join(" ");
  const target = relationship.target.name;
  switch (relationship.kind) {
    case "computed":
      return `computed ${relationship.isToOne ? "one" : "many"} ${target} by ${relationship.function.name}`;
    case "many-to-many": {
      const { relation, sourceColumns, targetColumns } = relationship.junction;
      return `many-to-many ${target} by ${relation.name}: ${pairs(sourceColumns)} | ${pairs(targetColumns)}`;
    }
    default:
      return `${relationship.kind} ${target} by ${relationship.constraint}: ${pairs(relationship.columns)}`;
  }
}

type Case = readonly [from: string, written: string, ...expected: string[]];

const SHOP_CASES: Readonly<Record<string, readonly Case[]>> = {
  "one and many": [
    ["projects", "clients", "many-to-one clients by projects_client_id_fkey: client_id=id"],
    ["clients", "projects", "one-to-many projects by projects_client_id_fkey: id=client_id"],
    ["projects", "client_id", "many-to-one clients by projects_client_id_fkey: client_id=id"],
    ["projects", "projects_client_id_fkey", "many-to-one clients by projects_client_id_fkey: client_id=id"],
    ["projects", "clients!client_id", "many-to-one clients by projects_client_id_fkey: client_id=id"],
    ["projects", "clients!id", "many-to-one clients by projects_client_id_fkey: client_id=id"],
    ["clients", "projects!projects_client_id_fkey", "one-to-many projects by projects_client_id_fkey: id=client_id"],
    ["clients", "Bücher", "one-to-many Bücher by Bücher zu Kunden: id=der Kunde"],
    ["Bücher", "der Kunde", "many-to-one clients by Bücher zu Kunden: der Kunde=id"],
  ],
  "one to one": [
    ["projects", "details", "computed many details by details"],
    ["details", "projects", "one-to-one projects by details_project_id_fkey: project_id=id"],
  ],
  "two keys to the same table": [
    [
      "tickets",
      "people",
      "many-to-one people by tickets_author_id_fkey: author_id=id",
      "many-to-one people by tickets_closer_id_fkey: closer_id=id",
    ],
    ["tickets", "people!tickets_closer_id_fkey", "many-to-one people by tickets_closer_id_fkey: closer_id=id"],
    ["tickets", "people!author_id", "many-to-one people by tickets_author_id_fkey: author_id=id"],
    ["tickets", "closer_id", "many-to-one people by tickets_closer_id_fkey: closer_id=id"],
    ["people", "tickets!closer_id", "one-to-many tickets by tickets_closer_id_fkey: id=closer_id"],
  ],
  "composite keys": [
    ["bookings", "rooms", "many-to-one rooms by bookings_number_floor_fkey: number=number floor=floor"],
    ["rooms", "bookings", "one-to-many bookings by bookings_number_floor_fkey: number=number floor=floor"],
    ["bookings", "rooms!number", "many-to-one rooms by bookings_number_floor_fkey: number=number floor=floor"],
    ["bookings", "number", "many-to-one rooms by bookings_number_floor_fkey: number=number floor=floor"],
  ],
  junctions: [
    ["users", "projects", "many-to-many projects by memberships: id=user_id | id=project_id"],
    ["projects", "users", "many-to-many users by memberships: id=project_id | id=user_id"],
    ["projects", "users!memberships", "many-to-many users by memberships: id=project_id | id=user_id"],
    ["projects", "users!membership_list", "many-to-many users by membership_list: id=project_id | id=user_id"],
    ["users", "memberships", "one-to-many memberships by memberships_user_id_fkey: id=user_id"],
    ["rooms", "tags", "many-to-many tags by taggings: floor=room_floor number=room_number | id=tag_id"],
    ["rooms", "tags!taggings", "many-to-many tags by taggings: floor=room_floor number=room_number | id=tag_id"],
    ["people", "projects"],
  ],
  "self references": [
    ["users", "boss_id", "many-to-one users by users_boss_id_fkey: boss_id=id"],
    ["users", "users!boss_id", "one-to-many users by users_boss_id_fkey: id=boss_id"],
    ["users", "users!mentor_id", "one-to-many users by users_mentor_id_fkey: id=mentor_id"],
    ["users", "users!users_mentor_id_fkey"],
    ["users", "users_mentor_id_fkey"],
    ["users", "next_id", "one-to-one users by users_next_id_fkey: next_id=id"],
    ["users", "users!next_id", "one-to-one users by users_next_id_fkey: id=next_id"],
    [
      "users",
      "users",
      "one-to-many users by users_boss_id_fkey: id=boss_id",
      "one-to-many users by users_mentor_id_fkey: id=mentor_id",
    ],
    ["users", "users!follower_id", "many-to-many users by follows: id=follower_id | id=followed_id"],
    ["users", "users!follows_followed_id_fkey", "many-to-many users by follows: id=followed_id | id=follower_id"],
  ],
  partitions: [
    ["clients", "logs", "one-to-many logs by logs_client_id_fkey: id=client_id"],
    ["log_notes", "logs", "many-to-one logs by log_notes_log_id_log_at_fkey: log_id=id log_at=at"],
    ["clients", "logs_2026"],
  ],
  computed: [
    ["clients", "newest", "computed one projects by newest"],
    ["clients", "all_projects", "computed many projects by all_projects"],
    ["users", "boss", "computed one users by boss"],
    ["clients", "newest!anything", "computed one projects by newest"],
  ],
  "through views": [
    ["projects", "client_names", "many-to-one client_names by projects_client_id_fkey: client_id=client"],
    ["client_names", "projects", "one-to-many projects by projects_client_id_fkey: client=client_id"],
    ["orders", "clients", "many-to-one clients by orders_buyer_fkey: who=id"],
    ["clients", "orders", "one-to-many orders by orders_buyer_fkey: id=who"],
    ["orders", "items", "one-to-many items by items_order_id_fkey: order_no=ordered_by"],
    ["items", "orders", "many-to-one orders by items_order_id_fkey: ordered_by=order_no"],
    ["orders", "rooms", "many-to-one rooms by orders_place_floor_place_number_fkey: at_floor=floor at_number=number"],
    ["orders", "client_names", "many-to-one client_names by orders_buyer_fkey: who=client"],
    ["project_clients", "clients", "many-to-one clients by projects_client_id_fkey: owner=id"],
    ["project_clients", "users", "many-to-many users by memberships: project=project_id | id=user_id"],
    ["kept_projects", "clients", "many-to-one clients by projects_client_id_fkey: client_id=id"],
    ["client_totals", "clients", "many-to-one clients by projects_client_id_fkey: client_id=id"],
    ["projects", "details!project_id", "computed many details by details"],
    ["bookings", "half_rooms"],
    ["either", "projects"],
    ["computed_ids", "projects"],
  ],
  "other schemas": [
    ["orders", "inner_orders"],
    ["projects", "orders"],
  ],
};

/** Embeddings of the service's tables. */
const PUBLIC_CASES: readonly Case[] = [
  ["agents", "agent_tools", "one-to-many agent_tools by agent_tools_agent_id_fkey: id=agent_id user_id=user_id"],
  ["agents", "tools", "many-to-many tools by agent_tools: id=agent_id user_id=user_id | id=tool_id"],
  ["agents", "swarm_agents", "one-to-many swarm_agents by swarm_agents_agent_id_fkey: id=agent_id"],
  ["agents", "swarms", "one-to-many swarms by swarms_coordinator_agent_id_fkey: id=coordinator_agent_id"],
  ["agents", "swarms!swarm_agents", "many-to-many swarms by swarm_agents: id=agent_id | id=swarm_id"],
  ["agents", "messages", "one-to-many messages by messages_sender_agent_id_fkey: id=sender_agent_id"],
  ["agents", "agent_versions", "one-to-many agent_versions by agent_versions_agent_id_fkey: id=agent_id"],
  ["agents", "guardrails", "one-to-many guardrails by guardrails_agent_id_fkey: id=agent_id"],
  ["swarms", "guardrails", "one-to-many guardrails by guardrails_swarm_id_fkey: id=swarm_id"],
  ["agents", "eval_runs", "one-to-many eval_runs by eval_runs_agent_id_fkey: id=agent_id user_id=user_id"],
  [
    "eval_datasets",
    "eval_cases",
    "one-to-many eval_cases by eval_cases_dataset_id_fkey: id=dataset_id user_id=user_id",
  ],
  [
    "eval_runs",
    "eval_results",
    "one-to-many eval_results by eval_results_eval_run_id_fkey: id=eval_run_id user_id=user_id",
  ],
  ["agent_tools", "tool", "computed one tools by tool"],
  ["agent_tools", "tools", "many-to-one tools by agent_tools_tool_id_fkey: tool_id=id"],
  ["agent_tools", "agents", "many-to-one agents by agent_tools_agent_id_fkey: agent_id=id user_id=user_id"],
  ["agent_tools", "agents!agent_id", "many-to-one agents by agent_tools_agent_id_fkey: agent_id=id user_id=user_id"],
  ["tools", "agent_tools", "one-to-many agent_tools by agent_tools_tool_id_fkey: id=tool_id"],
  ["tools", "agents", "many-to-many agents by agent_tools: id=tool_id | id=agent_id user_id=user_id"],
  ["tools", "tool_executions", "one-to-many tool_executions by tool_executions_tool_id_fkey: id=tool_id"],
  ["swarms", "swarm_members", "one-to-many swarm_members by swarm_members_swarm_id_fkey: id=swarm_id"],
  ["swarms", "swarm_agents", "one-to-many swarm_agents by swarm_agents_swarm_id_fkey: id=swarm_id"],
  ["swarms", "agents", "many-to-one agents by swarms_coordinator_agent_id_fkey: coordinator_agent_id=id"],
  ["swarms", "agents!swarm_agents", "many-to-many agents by swarm_agents: id=swarm_id | id=agent_id"],
  ["swarms", "coordinator_agent_id", "many-to-one agents by swarms_coordinator_agent_id_fkey: coordinator_agent_id=id"],
  ["swarms", "agent_cards", "many-to-one agent_cards by swarms_coordinator_agent_id_fkey: coordinator_agent_id=id"],
  ["swarms", "messages", "one-to-many messages by messages_swarm_id_fkey: id=swarm_id"],
  ["swarms", "read_positions", "one-to-many read_positions by read_positions_swarm_id_fkey: id=swarm_id"],
  ["swarms", "runs", "one-to-many runs by runs_swarm_id_fkey: id=swarm_id"],
  ["swarm_agents", "agents", "many-to-one agents by swarm_agents_agent_id_fkey: agent_id=id"],
  ["swarm_agents", "swarms", "many-to-one swarms by swarm_agents_swarm_id_fkey: swarm_id=id"],
  ["swarm_members", "swarms", "many-to-one swarms by swarm_members_swarm_id_fkey: swarm_id=id"],
  ["messages", "swarms", "many-to-one swarms by messages_swarm_id_fkey: swarm_id=id"],
  ["messages", "agents", "many-to-one agents by messages_sender_agent_id_fkey: sender_agent_id=id"],
  ["messages", "agent_cards", "many-to-one agent_cards by messages_sender_agent_id_fkey: sender_agent_id=id"],
  ["messages", "messages", "one-to-many messages by messages_reply_to_id_fkey: swarm_id=swarm_id id=reply_to_id"],
  ["messages", "reply_to_id", "many-to-one messages by messages_reply_to_id_fkey: swarm_id=swarm_id reply_to_id=id"],
  [
    "messages",
    "message_flags",
    "one-to-many message_flags by message_flags_message_id_fkey: swarm_id=swarm_id id=message_id",
  ],
  [
    "messages",
    "message_revisions",
    "one-to-many message_revisions by message_revisions_message_id_fkey: swarm_id=swarm_id id=message_id",
  ],
  ["messages", "runs!messages_run_id_fkey", "many-to-one runs by messages_run_id_fkey: swarm_id=swarm_id run_id=id"],
  ["messages", "runs!run_id", "many-to-one runs by messages_run_id_fkey: swarm_id=swarm_id run_id=id"],
  ["runs", "run_turns", "one-to-many run_turns by run_turns_run_id_fkey: swarm_id=swarm_id id=run_id"],
  ["runs", "run_events", "one-to-many run_events by run_events_run_id_fkey: swarm_id=swarm_id id=run_id"],
  ["runs", "turns", "computed many run_turns by turns"],
  ["runs", "model_calls", "one-to-many model_calls by model_calls_run_id_fkey: swarm_id=swarm_id id=run_id"],
  ["run_turns", "model_calls", "one-to-many model_calls by model_calls_turn_id_fkey: id=turn_id"],
  ["run_turns", "tool_executions", "one-to-many tool_executions by tool_executions_turn_id_fkey: id=turn_id"],
  [
    "tool_executions",
    "tool_execution_payloads",
    "one-to-one tool_execution_payloads by tool_execution_payloads_tool_execution_id_fkey: id=tool_execution_id",
  ],
  [
    "webhooks",
    "webhook_deliveries",
    "one-to-many webhook_deliveries by webhook_deliveries_webhook_id_fkey: id=webhook_id user_id=user_id",
  ],
  [
    "webhooks",
    "webhook_delivery_attempts",
    "one-to-many webhook_delivery_attempts by webhook_delivery_attempts_webhook_id_fkey: id=webhook_id user_id=user_id",
  ],
  [
    "webhook_deliveries",
    "webhooks",
    "many-to-one webhooks by webhook_deliveries_webhook_id_fkey: webhook_id=id user_id=user_id",
  ],
  ["agents", "profiles"],
];

describe("relationships", () => {
  const opened = openCatalogueStage(OBJECTS);
  let shop: Catalogue;
  let ours: Catalogue;
  before(async () => {
    [shop, ours] = await Promise.all([opened.stage.load("shop", "other"), opened.stage.load("public")]);
  });
  const find = (catalogue: Catalogue, schema: string, from: string, written: string): readonly Relationship[] => {
    const [target = "", hint = null] = written.split("!");
    return findRelationships(catalogue, { from: { schema, name: from }, target, hint });
  };

  for (const [title, cases] of Object.entries(SHOP_CASES)) {
    describe(title, () => {
      for (const [from, written, ...expected] of cases) {
        it(`${from}?select=${written}()`, () => {
          assert.deepEqual(find(shop, "shop", from, written).map(show), expected);
        });
      }
    });
  }

  describe("of the service's tables", () => {
    for (const [from, written, ...expected] of PUBLIC_CASES) {
      it(`${from}?select=${written}()`, () => {
        assert.deepEqual(find(ours, "public", from, written).map(show), expected);
      });
    }

    it("distinguish both directions of the keys between messages and runs", () => {
      assert.deepEqual(find(ours, "public", "messages", "runs").map(show), [
        "many-to-one runs by messages_run_id_fkey: swarm_id=swarm_id run_id=id",
        "one-to-many runs by runs_message_id_fkey: swarm_id=swarm_id id=message_id",
      ]);
    });
  });

  it("are described for an ambiguous embedding, with the expression that selects each", () => {
    const found = find(shop, "shop", "tickets", "people");
    assert.deepEqual(found.map(describeCandidate), [
      {
        cardinality: "many-to-one",
        embedding: "tickets with people",
        relationship: "tickets_author_id_fkey using tickets(author_id) and people(id)",
      },
      {
        cardinality: "many-to-one",
        embedding: "tickets with people",
        relationship: "tickets_closer_id_fkey using tickets(closer_id) and people(id)",
      },
    ]);
    assert.deepEqual(found.map(suggestEmbedding), ["people!tickets_author_id_fkey", "people!tickets_closer_id_fkey"]);
    const [junction] = find(shop, "shop", "users", "projects");
    assert.ok(junction);
    assert.deepEqual(describeCandidate(junction), {
      cardinality: "many-to-many",
      embedding: "users with projects",
      relationship: "memberships using memberships_user_id_fkey(user_id) and memberships_project_id_fkey(project_id)",
    });
    assert.equal(suggestEmbedding(junction), "projects!memberships");
  });

  it("suggest an expression that selects only one candidate", () => {
    const written = ["tickets people", "users users", "users next_id", "messages runs", "messages messages"];
    for (const [from = "", target = ""] of written.map((words) => words.split(" "))) {
      const [catalogue, schema] = from === "messages" ? ([ours, "public"] as const) : ([shop, "shop"] as const);
      for (const candidate of find(catalogue, schema, from, target)) {
        assert.deepEqual(
          find(catalogue, schema, from, suggestEmbedding(candidate)),
          [candidate],
          suggestEmbedding(candidate),
        );
      }
    }
  });

  it("have column pairs that the database can compare", async () => {
    const names = [...(shop.schemas.get("shop")?.relations.keys() ?? [])];
    const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
    let joined = 0;
    for (const { schema, name } of names.map((relation) => ({ schema: "shop", name: relation }))) {
      for (const target of names) {
        for (const found of findRelationships(shop, { from: { schema, name }, target, hint: null })) {
          if (found.kind === "computed" || found.kind === "many-to-many") continue;
          const on = found.columns.map(([own, other]) => `a.${quote(own)} = b.${quote(other)}`).join(" and ");
          await opened.stage.run(
            `select 1 from shop.${quote(name)} a join shop.${quote(found.target.name)} b on ${on}`,
          );
          joined++;
        }
      }
    }
    assert.ok(joined > 40, `${joined} joins`);
  });
});
