export type Cell = string | number | null;
export type RelationName = "clients" | "projects" | "details" | "tasks" | "users" | "users_tasks" | "employees";
export interface Row {
  [name: string]: unknown;
}

export interface Target {
  readonly isToOne: boolean;
  rowsOf(row: Row): readonly Row[];
}

export interface ModelRelation {
  readonly rows: readonly Row[];
  readonly key: readonly string[];
  readonly targets: Partial<Record<RelationName, Target>>;
}

const ROWS = {
  clients: [
    { id: 1, name: "Acme" },
    { id: 2, name: "Bolt" },
    { id: 3, name: "One" },
  ],
  projects: [
    { id: 1, name: "One", client_id: 1 },
    { id: 2, name: "Two", client_id: 1 },
    { id: 3, name: "Two", client_id: 2 },
    { id: 4, name: null, client_id: null },
  ],
  details: [
    { project_id: 1, budget: 2 },
    { project_id: 3, budget: null },
  ],
  tasks: [
    { id: 1, name: "Build", project_id: 1, hours: 2 },
    { id: 2, name: "One", project_id: 1, hours: 8 },
    { id: 3, name: "Sell", project_id: 2, hours: null },
    { id: 4, name: null, project_id: 3, hours: 2 },
    { id: 5, name: "Two", project_id: null, hours: 1 },
  ],
  users: [
    { id: 1, name: "Acme" },
    { id: 2, name: "Two" },
    { id: 3, name: null },
  ],
  users_tasks: [
    { user_id: 1, task_id: 1, share: 1 },
    { user_id: 1, task_id: 2, share: null },
    { user_id: 2, task_id: 2, share: 2 },
    { user_id: 2, task_id: 4, share: 1 },
  ],
  employees: [
    { id: 1, name: "One", boss_id: null },
    { id: 2, name: "Two", boss_id: 1 },
    { id: 3, name: null, boss_id: 1 },
    { id: 4, name: "Two", boss_id: 2 },
  ],
} satisfies Record<RelationName, readonly Row[]>;

function one(relation: RelationName, own: string, other: string): Target {
  return { isToOne: true, rowsOf: many(relation, own, other).rowsOf };
}

function many(relation: RelationName, own: string, other: string): Target {
  const rows: readonly Row[] = ROWS[relation];
  return { isToOne: false, rowsOf: (row) => rows.filter((found) => row[own] !== null && found[other] === row[own]) };
}

function through(target: RelationName, [own, other]: readonly [string, string]): Target {
  const rows: readonly Row[] = ROWS[target];
  const pairs: readonly Row[] = ROWS.users_tasks;
  return {
    isToOne: false,
    rowsOf: (row) => {
      const others = pairs.filter((pair) => pair[own] === row["id"]).map((pair) => pair[other]);
      return rows.filter(({ id }) => others.includes(id));
    },
  };
}

export const RELATIONS: Readonly<Record<RelationName, ModelRelation>> = {
  clients: { rows: ROWS.clients, key: ["id"], targets: { projects: many("projects", "id", "client_id") } },
  projects: {
    rows: ROWS.projects,
    key: ["id"],
    targets: {
      clients: one("clients", "client_id", "id"),
      details: one("details", "id", "project_id"),
      tasks: many("tasks", "id", "project_id"),
    },
  },
  details: { rows: ROWS.details, key: ["project_id"], targets: { projects: one("projects", "project_id", "id") } },
  tasks: {
    rows: ROWS.tasks,
    key: ["id"],
    targets: {
      projects: one("projects", "project_id", "id"),
      users: through("users", ["task_id", "user_id"]),
      users_tasks: many("users_tasks", "id", "task_id"),
    },
  },
  users: {
    rows: ROWS.users,
    key: ["id"],
    targets: {
      tasks: through("tasks", ["user_id", "task_id"]),
      users_tasks: many("users_tasks", "id", "user_id"),
    },
  },
  users_tasks: {
    rows: ROWS.users_tasks,
    key: ["user_id", "task_id"],
    targets: { users: one("users", "user_id", "id"), tasks: one("tasks", "task_id", "id") },
  },
  employees: { rows: ROWS.employees, key: ["id"], targets: { employees: many("employees", "id", "boss_id") } },
};

export function columnsOf(relation: RelationName): string[] {
  return Object.keys(ROWS[relation][0] ?? {});
}

/** The same rows as tables of the database. */
export const MODEL_SQL = `
create schema model;
grant usage on schema model to service_role;
create table model.clients (id int primary key, name text);
create table model.projects (id int primary key, name text, client_id int references model.clients);
create table model.details (project_id int primary key references model.projects, budget int);
create table model.tasks (id int primary key, name text, project_id int references model.projects, hours int);
create table model.users (id int primary key, name text);
create table model.users_tasks (
  user_id int references model.users, task_id int references model.tasks, share int, primary key (user_id, task_id)
);
create table model.employees (id int primary key, name text, boss_id int references model.employees);
${Object.entries(ROWS)
  .map(
    ([name, rows]) =>
      `insert into model.${name} select * from json_populate_recordset(null::model.${name}, '${JSON.stringify(rows)}');`,
  )
  .join("\n")}
grant select on all tables in schema model to service_role;
`;
