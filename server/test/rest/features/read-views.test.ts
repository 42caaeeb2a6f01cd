import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectRead, READABLE, reject, SHOP } from "./read-shop.ts";
import { openRestStage } from "./rest-stage.ts";

const VIEWS = `
create view shop.projects_view as select * from shop.projects;
create view shop.renamed as select id as pid, client_id as cid, name as title from shop.projects;
create view shop.renamed_again as select pid as the_id, cid as the_client from shop.renamed;
create view shop.clients_view as select id, upper(name) as name from shop.clients;
create view shop.per_client as select client_id, count(*)::int as projects_count from shop.projects group by client_id;
create view shop.from_subselect as select s.id, s.client_id from (select * from shop.projects where id < 3) s;
create view shop.from_cte as with p as (select id, client_id from shop.projects) select * from p;
create view shop.joined as
  select t.id, t.name, p.id as project, c.name as client
  from shop.tasks t left join shop.projects p on p.id = t.project_id left join shop.clients c on c.id = p.client_id;
create view shop.united as select id, client_id from shop.projects union all select id, client_id from shop.projects;
create materialized view shop.project_hours as
  select p.id, p.client_id, sum(t.hours)::int as hours
  from shop.projects p left join shop.tasks t on t.project_id = p.id group by p.id;
create view shop.double_orders as select id, billing_id, shipping_id as goes_to from shop.orders;
create view shop.vault_view as select id from hidden.vaults;
create view shop.user_task_view as select user_id, task_id from shop.users_tasks;

create table shop.visits (
  id int, day date, project_id int references shop.projects, primary key (id, day)
) partition by range (day);
create table shop.visits_2020 partition of shop.visits for values from ('2020-01-01') to ('2021-01-01');
create table shop.visits_rest partition of shop.visits default;
insert into shop.visits values (1, '2020-05-05', 1), (2, '2021-05-05', 1), (3, '2022-05-05', null);
create table shop.visit_notes (
  id int primary key, visit_id int, visit_day date, foreign key (visit_id, visit_day) references shop.visits
);
insert into shop.visit_notes values (1, 1, '2020-05-05');
`;
const opened = openRestStage(SHOP + VIEWS + READABLE, { schemas: ["shop"] });
const expectRows = (target: string, expected: unknown): Promise<void> => expectRead(opened.stage, target, expected);

describe("views", () => {
  it("have the relationships of their base tables", async () => {
    await expectRows("/projects_view?select=id,clients(name),tasks(id)&id=eq.1&tasks.order=id", [
      { id: 1, clients: { name: "Acme" }, tasks: [{ id: 1 }, { id: 2 }] },
    ]);
    await expectRows("/clients?select=id,projects_view(id)&id=eq.2", [{ id: 2, projects_view: [{ id: 3 }] }]);
    await expectRows("/tasks?select=id,projects_view(name)&id=in.(1,5)&order=id", [
      { id: 1, projects_view: { name: "One" } },
      { id: 5, projects_view: null },
    ]);
    await expectRows("/projects_view?select=id,clients_view(name)&id=eq.1", [
      { id: 1, clients_view: { name: "ACME" } },
    ]);
    await expectRows("/projects_view?select=id,details(notes)&id=eq.1", [{ id: 1, details: { notes: "first" } }]);
  });

  it("keep relationships through renamed columns and nested views", async () => {
    await expectRows("/renamed?select=pid,clients(name),tasks(id)&pid=eq.3", [
      { pid: 3, clients: { name: "Bolt" }, tasks: [{ id: 4 }] },
    ]);
    await expectRows("/renamed_again?select=the_id,clients(name)&the_id=eq.3", [
      { the_id: 3, clients: { name: "Bolt" } },
    ]);
    await expectRows("/clients?select=id,renamed_again(the_id)&id=eq.2", [{ id: 2, renamed_again: [{ the_id: 3 }] }]);
    await expectRows("/renamed?select=pid,clients!cid(name)&pid=eq.3", [{ pid: 3, clients: { name: "Bolt" } }]);
    await expectRows("/renamed?select=pid,clients!projects_client(name)&pid=eq.3", [
      { pid: 3, clients: { name: "Bolt" } },
    ]);
    await expectRows("/renamed?select=pid,boss:cid(name)&pid=eq.3", [{ pid: 3, boss: { name: "Bolt" } }]);
  });

  it("keep relationships through groups, sub-selects, CTEs and joins", async () => {
    await expectRows("/per_client?select=projects_count,clients(name)&order=client_id&limit=2", [
      { projects_count: 2, clients: { name: "Acme" } },
      { projects_count: 1, clients: { name: "Bolt" } },
    ]);
    await expectRows("/from_subselect?select=id,clients(name)&order=id", [
      { id: 1, clients: { name: "Acme" } },
      { id: 2, clients: { name: "Acme" } },
    ]);
    await expectRows("/from_cte?select=id,clients(name)&id=eq.3", [{ id: 3, clients: { name: "Bolt" } }]);
    await expectRows("/joined?select=name,client,users(name)&id=eq.4", [
      { name: "Pack", client: "Bolt", users: [{ name: "Bob" }] },
    ]);
  });

  it("need a hint for several keys, like tables", async () => {
    await expectRows("/double_orders?select=id,to:addresses!goes_to(street)&id=eq.1", [
      { id: 1, to: { street: "Second St" } },
    ]);
    const { status, code } = await reject(opened.stage, "/double_orders?select=id,addresses(street)");
    assert.deepEqual([status, code], [300, "PGRST201"]);
  });

  it("can expose a table of a schema that is not exposed", () =>
    expectRows("/coins?select=id,vault_view(id)", [{ id: 1, vault_view: { id: 1 } }]));

  it("of a junction do not make the junction ambiguous", async () => {
    await expectRows("/users?select=id,tasks(id)&id=eq.1&tasks.order=id", [{ id: 1, tasks: [{ id: 1 }, { id: 2 }] }]);
    await expectRows("/users?select=id,tasks!user_task_view(id)&id=eq.1&tasks.order=id", [
      { id: 1, tasks: [{ id: 1 }, { id: 2 }] },
    ]);
  });

  it("accept filters, order, windows and counts like tables", async () => {
    await expectRows("/renamed?select=title&title=like.T*&order=title.desc&limit=1", [{ title: "Two" }]);
    const { headers } = await opened.stage.ask("GET /united?limit=1", { headers: { prefer: "count=exact" } });
    assert.equal(headers["content-range"], "0-0/8");
  });
});

describe("materialized views", () => {
  it("are read and embedded like views", async () => {
    await expectRows("/project_hours?select=hours,clients(name)&order=id&limit=2", [
      { hours: 13, clients: { name: "Acme" } },
      { hours: null, clients: { name: "Acme" } },
    ]);
    await expectRows("/clients?select=id,project_hours(hours)&id=eq.2", [{ id: 2, project_hours: [{ hours: 2 }] }]);
  });
});

describe("partitioned tables", () => {
  it("are read as one table", () => expectRows("/visits?select=id&order=id", [{ id: 1 }, { id: 2 }, { id: 3 }]));

  it("embed and are embedded, and their partitions cause no ambiguity", async () => {
    await expectRows("/visits?select=id,projects(name)&order=id&limit=1", [{ id: 1, projects: { name: "One" } }]);
    await expectRows("/projects?select=id,visits(id)&id=eq.1&visits.order=id", [
      { id: 1, visits: [{ id: 1 }, { id: 2 }] },
    ]);
    await expectRows("/visits?select=id,visit_notes(id)&id=eq.1", [{ id: 1, visit_notes: [{ id: 1 }] }]);
    await expectRows("/visit_notes?select=id,visits(day)", [{ id: 1, visits: { day: "2020-05-05" } }]);
  });

  it("do not expose their partitions, to which row-level rules of the table would not apply", async () => {
    assert.deepEqual(await reject(opened.stage, "/visits_2020?select=id"), {
      status: 404,
      code: "PGRST205",
      message: "Could not find the table 'shop.visits_2020' in the schema cache",
      details: null,
      hint: null,
    });
    assert.equal((await reject(opened.stage, "/projects?select=id,visits_2020(id)")).code, "PGRST200");
  });
});
