import type {
  ComputedField,
  ComputedRelationship,
  ForeignKeyRelationship,
  Relation,
} from "../../../src/rest/catalogue/catalogue.ts";
import { catalogueOf, column, table, type } from "./entry-catalogue.ts";

const SCHEMA = "public";

/** Of one column to the column `id`. */
function foreignKey(from: string, own: string, target: string, isOneToOne = false): ForeignKeyRelationship {
  return {
    constraint: `${from}_${own}_fkey`,
    from: { schema: SCHEMA, name: from },
    target: { schema: SCHEMA, name: target },
    columns: [[own, "id"]],
    isOneToOne,
    isFromView: false,
    isTargetView: false,
  };
}

function field(name: string, typeName: string): readonly [string, ComputedField] {
  return [name, { function: { schema: SCHEMA, name }, type: type(typeName) }];
}

function relationship(name: string, target: string, isToOne: boolean): readonly [string, ComputedRelationship] {
  return [name, { function: { schema: SCHEMA, name }, target: { schema: SCHEMA, name: target }, isToOne }];
}

const clients: Relation = {
  ...table("clients", { id: "integer", name: "text" }, ["id"]),
  computedRelationships: new Map([
    relationship("newest", "projects", true),
    relationship("all_projects", "projects", false),
  ]),
};

const plainProjects = table(
  "projects",
  { id: "integer", name: "text", client_id: "integer", data: "jsonb", tags: "text[]", budget: "numeric" },
  ["id"],
);
const words = column("words", "tsvector", { type: { ...type("tsvector"), category: "tsvector" } });
const projects: Relation = {
  ...plainProjects,
  columns: new Map([...plainProjects.columns, ["words", words]]),
  computedFields: new Map([field("full_name", "text"), field("extras", "json")]),
};

/** Relationships of every kind, each in its simplest form. */
export const SHOP = catalogueOf({
  relations: [
    clients,
    projects,
    table("details", { project_id: "integer", text: "text" }, ["project_id"]),
    table("tasks", { id: "integer", project_id: "integer", title: "text", hours: "numeric" }, ["id"]),
    table("users", { id: "integer", boss_id: "integer" }, ["id"]),
    table("assignments", { user_id: "integer", task_id: "integer" }, ["user_id", "task_id"]),
    table("tickets", { id: "integer", author_id: "integer", closer_id: "integer" }, ["id"]),
  ],
  relationships: [
    foreignKey("projects", "client_id", "clients"),
    foreignKey("details", "project_id", "projects", true),
    foreignKey("tasks", "project_id", "projects"),
    foreignKey("users", "boss_id", "users"),
    foreignKey("assignments", "user_id", "users"),
    foreignKey("assignments", "task_id", "tasks"),
    foreignKey("tickets", "author_id", "users"),
    foreignKey("tickets", "closer_id", "users"),
  ],
});
