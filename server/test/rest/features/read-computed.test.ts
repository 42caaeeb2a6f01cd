import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectRead, READABLE, reject, SHOP } from "./read-shop.ts";
import { openRestStage } from "./rest-stage.ts";

const COMPUTED = `
create function shop.label(shop.projects) returns text stable language sql as $$ select $1.id || ':' || $1.name $$;
create function shop.stats(shop.projects) returns jsonb stable language sql as $$ select jsonb_build_object('len', length($1.name)) $$;
create function shop.label(shop.clients) returns text stable language sql as $$ select 'client ' || $1.name $$;
create function hidden.secret(shop.projects) returns text stable language sql as $$ select 'no' $$;
create function shop.first_task(shop.projects) returns setof shop.tasks rows 1 stable language sql as
  $$ select * from shop.tasks where project_id = $1.id order by id limit 1 $$;
create function shop.long_tasks(shop.projects) returns setof shop.tasks stable language sql as
  $$ select * from shop.tasks where project_id = $1.id and hours > 4 $$;
create function shop.clients(shop.tasks) returns setof shop.clients rows 1 stable language sql as
  $$ select c.* from shop.clients c join shop.projects p on p.client_id = c.id where p.id = $1.project_id $$;
create function shop.details(shop.projects) returns setof shop.details rows 1 stable language sql as
  $$ select $1.id, 'made up', 1::numeric $$;
create view shop.projects_view as select * from shop.projects;
create table shop.shrunk (id int primary key, gone int, name text, project_id int references shop.projects);
alter table shop.shrunk drop column gone;
insert into shop.shrunk values (1, 'a', 1), (2, 'b', 1);
create function shop.tag(shop.shrunk) returns text stable language sql as $$ select $1.name || $1.id $$;
create function shop.home(shop.shrunk) returns setof shop.projects rows 1 stable language sql as
  $$ select * from shop.projects where id = $1.project_id $$;
create function shop.view_label(shop.projects_view) returns text stable language sql as $$ select 'v' || $1.id $$;
`;
const opened = openRestStage(SHOP + COMPUTED + READABLE, { schemas: ["shop"] });
const expectRows = (target: string, expected: unknown): Promise<void> => expectRead(opened.stage, target, expected);

describe("computed fields", () => {
  it("are selected, filtered, ordered by and aggregated like columns", async () => {
    await expectRows("/projects?select=id,label&order=id&limit=1", [{ id: 1, label: "1:One" }]);
    await expectRows("/projects?select=id&label=eq.2:Two", [{ id: 2 }]);
    await expectRows("/projects?select=id&or=(label.eq.2:Two,label.like.4*)&order=id", [{ id: 2 }, { id: 4 }]);
    await expectRows("/projects?select=title:label&order=label.desc&limit=1", [{ title: "4:Four" }]);
    await expectRows("/projects?select=label.max()", [{ max: "4:Four" }]);
    await expectRows("/projects?select=label,count()&id=eq.1", [{ label: "1:One", count: 1 }]);
  });

  it("are not part of a star", async () => {
    await expectRows("/clients?select=*&id=eq.1", [{ id: 1, name: "Acme" }]);
    await expectRows("/clients?select=*,label&id=eq.1", [{ id: 1, name: "Acme", label: "client Acme" }]);
  });

  it("take JSON paths and casts", async () => {
    await expectRows("/projects?select=stats->len,text:stats->>len&id=eq.3", [{ len: 5, text: "5" }]);
    await expectRows("/projects?select=id&stats->len=gt.3&order=id", [{ id: 3 }, { id: 4 }]);
    await expectRows("/projects?select=stats->>len::int&order=stats->len.desc,id&limit=2", [{ len: 5 }, { len: 4 }]);
  });

  it("work in embeds, with a window, and on views", async () => {
    await expectRows("/clients?select=id,projects(label)&id=eq.1&projects.order=label.desc&projects.limit=1", [
      { id: 1, projects: [{ label: "2:Two" }] },
    ]);
    await expectRows("/projects?select=label,clients(label)&order=id&limit=1&offset=1", [
      { label: "2:Two", clients: { label: "client Acme" } },
    ]);
    await expectRows("/projects?select=label,...clients(client:label)&order=id&limit=1&offset=1", [
      { label: "2:Two", client: "client Acme" },
    ]);
    await expectRows("/projects?select=id,clients()&order=clients(label).desc.nullslast,id&limit=1", [{ id: 3 }]);
    await expectRows("/projects_view?select=view_label&id=eq.1", [{ view_label: "v1" }]);
  });

  it("work for a table with a dropped column", async () => {
    await expectRows("/shrunk?select=id,tag,home(name)&order=id&offset=1", [
      { id: 2, tag: "b2", home: { name: "One" } },
    ]);
    await expectRows("/shrunk?select=tag,...home(home:name)&order=id&limit=1", [{ tag: "a1", home: "One" }]);
  });

  it("are not found in schemas that are not exposed", async () => {
    const { status, code } = await reject(opened.stage, "/projects?select=secret");
    assert.deepEqual([status, code], [400, "42703"]);
  });
});

describe("computed relationships", () => {
  it("are an object if declared to return one row, otherwise a list", async () => {
    await expectRows("/projects?select=id,first_task(name)&order=id&limit=2", [
      { id: 1, first_task: { name: "Design" } },
      { id: 2, first_task: { name: "Sell" } },
    ]);
    await expectRows("/projects?select=id,long_tasks(id)&order=id&limit=2&long_tasks.order=id", [
      { id: 1, long_tasks: [{ id: 1 }, { id: 2 }] },
      { id: 2, long_tasks: [] },
    ]);
    await expectRows("/projects?select=id,first_task(name)&id=eq.4", [{ id: 4, first_task: null }]);
  });

  it("accept everything that other embeds accept", async () => {
    await expectRows("/projects?select=id,long_tasks!inner(id)&long_tasks.hours=gt.6", [
      { id: 1, long_tasks: [{ id: 2 }] },
    ]);
    await expectRows("/projects?select=id,first_task()&first_task=is.null", [{ id: 4 }]);
    await expectRows("/projects?select=id,todo:first_task(name)&order=todo(name)&limit=1", [
      { id: 1, todo: { name: "Design" } },
    ]);
    await expectRows("/projects?select=id,...first_task(task:name)&id=eq.1", [{ id: 1, task: "Design" }]);
    await expectRows("/projects?select=id,...long_tasks(hours)&id=eq.1&long_tasks.order=hours.desc", [
      { id: 1, hours: [8, 5] },
    ]);
    await expectRows("/projects?select=id,first_task(name,users(name))&id=eq.1", [
      { id: 1, first_task: { name: "Design", users: [{ name: "Ann" }] } },
    ]);
    await expectRows("/clients?select=id,projects(id,first_task(id))&id=eq.2&limit=1&offset=0", [
      { id: 2, projects: [{ id: 3, first_task: { id: 4 } }] },
    ]);
    await expectRows("/projects?select=id,long_tasks(hours.sum())&id=eq.1", [{ id: 1, long_tasks: [{ sum: 13 }] }]);
  });

  it("replace a relationship by key of the same name, and add new ones", async () => {
    await expectRows("/projects?select=id,details(notes)&id=eq.1", [{ id: 1, details: { notes: "made up" } }]);
    await expectRows("/tasks?select=id,clients(name)&id=eq.4", [{ id: 4, clients: { name: "Bolt" } }]);
  });
});
