import { DECLARED_KEYS } from "./declared-keys.ts";
import {
  CALLER_ROLES,
  describedRelations,
  exposedAggregates,
  exposedFunctions,
  exposedRelations,
  reachedRelations,
  SETTING_SCOPES,
} from "./exposed.ts";
import { selectFingerprint } from "./select-fingerprint.ts";

/** Rows of the database that a catalogue is built from. */
export interface CatalogueRows {
  readonly fingerprint: string;
  readonly schemas: readonly SchemaRow[];
  readonly relations: readonly RelationRow[];
  readonly columns: readonly ColumnRow[];
  readonly types: readonly CatalogueTypeRow[];
  readonly functions: readonly FunctionRow[];
  readonly constraints: readonly ConstraintRow[];
  readonly views: readonly ViewRow[];
  readonly mediaHandlers: readonly HandlerRow[];
  readonly roleSettings: readonly SettingsRow[];
  /** Null when a lock prevented reading them. */
  readonly details: LockableDetails | null;
}

/** One statement for each kind of rows. `schemas` is of type text[]. */
export function selectCatalogue(schemas: string): Record<Exclude<keyof CatalogueRows, "details">, string> {
  return {
    fingerprint: selectFingerprint(),
    schemas: selectSchemas(schemas),
    relations: selectRelations(schemas),
    columns: selectColumns(schemas),
    types: selectTypes(schemas),
    functions: selectFunctions(schemas),
    constraints: selectConstraints(schemas),
    views: selectViews(schemas),
    mediaHandlers: selectMediaHandlers(schemas),
    roleSettings: selectRoleSettings(),
  };
}

interface SchemaRow {
  readonly name: string;
  readonly comment: string | null;
}

function selectSchemas(schemas: string): string {
  return `select coalesce(json_agg(json_build_object('name', n.nspname, 'comment', d.description)), '[]') as found
  from pg_namespace n
  left join pg_description d on d.objoid = n.oid and d.classoid = 'pg_namespace'::regclass
  where n.nspname = any (${schemas})`;
}

export interface RelationRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: "r" | "p" | "v" | "m" | "f";
  readonly comment: string | null;
}

function selectRelations(schemas: string): string {
  return `select coalesce(json_agg(json_build_object(
      'oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind, 'comment', d.description)
    order by c.relname), '[]') as found
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_description d on d.objoid = c.oid and d.classoid = 'pg_class'::regclass and d.objsubid = 0
  where c.oid = any (array(${exposedRelations(schemas)}))`;
}

export interface ColumnRow {
  readonly relation: number;
  readonly position: number;
  readonly name: string;
  readonly type: number;
  readonly modifier: number;
  readonly declared: string;
  readonly isNotNull: boolean;
  readonly hasDefault: boolean;
  readonly identity: "" | "a" | "d";
  readonly generated: string;
  readonly comment: string | null;
}

function selectColumns(schemas: string): string {
  return `select coalesce(json_agg(json_build_object(
      'relation', a.attrelid::int8, 'position', a.attnum, 'name', a.attname, 'type', a.atttypid::int8,
      'modifier', a.atttypmod, 'declared', format_type(a.atttypid, a.atttypmod), 'isNotNull', a.attnotnull,
      'hasDefault', a.atthasdef, 'identity', a.attidentity, 'generated', a.attgenerated, 'comment', d.description)
    order by a.attrelid, a.attnum), '[]') as found
  from pg_attribute a
  left join pg_description d on d.objoid = a.attrelid and d.classoid = 'pg_class'::regclass and d.objsubid = a.attnum
  where a.attnum > 0 and not a.attisdropped and a.attrelid = any (array(${describedRelations(schemas)}))`;
}

export interface CatalogueTypeRow {
  readonly oid: number;
  readonly name: string;
  readonly label: string;
  readonly plainName: string;
  readonly kind: string;
  readonly letter: string;
  readonly isBuiltIn: boolean;
  /** 0 unless it is a domain. */
  readonly beneath: number;
  readonly modifier: number;
  readonly isNotNull: boolean;
  readonly default: string | null;
  /** 0 unless it is an array. */
  readonly element: number;
  readonly relation: number;
  readonly rowSchema: string | null;
  readonly rowName: string | null;
  readonly values: readonly string[] | null;
  /** Implicit casts of a domain by functions; null when there are none. */
  readonly casts: readonly CastRow[] | null;
}

interface CastRow {
  readonly direction: "to" | "from";
  readonly other: "json" | "text";
  readonly schema: string;
  readonly name: string;
}

/** With -1 for a modifier the name never means a length of one, as plain "character" and "bit" would in a cast. */
function selectTypes(schemas: string): string {
  return `with recursive functions as (${exposedFunctions(schemas)}),
  used (oid) as (
    select unnest(array(
      select a.atttypid from pg_attribute a
      where a.attnum > 0 and not a.attisdropped and a.attrelid = any (array(${describedRelations(schemas)}))
      union select unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) from functions p
      union select p.prorettype from functions p))
    union
    select part.oid from used join pg_type t on t.oid = used.oid
    cross join lateral (values (t.typbasetype), (case when t.typcategory = 'A' then t.typelem end)) as part (oid)
    where part.oid <> 0
  )
  select coalesce(json_agg(json_build_object(
      'oid', t.oid::int8, 'name', format_type(t.oid, -1), 'label', format_type(t.oid, null), 'plainName', t.typname,
      'kind', t.typtype, 'letter', t.typcategory, 'isBuiltIn', t.typnamespace = 'pg_catalog'::regnamespace,
      'beneath', t.typbasetype::int8, 'modifier', t.typtypmod, 'isNotNull', t.typnotnull,
      'default', pg_get_expr(t.typdefaultbin, 0),
      'element', case when t.typcategory = 'A' then t.typelem::int8 else 0 end, 'relation', t.typrelid::int8,
      'rowSchema', n.nspname, 'rowName', c.relname,
      'values', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
      'casts', casts.found)), '[]') as found
  from used
  join pg_type t on t.oid = used.oid
  left join pg_class c on c.oid = t.typrelid
  left join pg_namespace n on n.oid = c.relnamespace
  left join lateral (
    select json_agg(json_build_object('direction', case when k.castsource = t.oid then 'to' else 'from' end,
      'other', other.typname, 'schema', s.nspname, 'name', p.proname)) as found
    from pg_cast k
    join pg_type other on other.oid = case when k.castsource = t.oid then k.casttarget else k.castsource end
    join pg_proc p on p.oid = k.castfunc
    join pg_namespace s on s.oid = p.pronamespace
    where (k.castsource = t.oid or k.casttarget = t.oid) and k.castcontext = 'i' and k.castmethod = 'f'
      and other.oid in ('json'::regtype, 'text'::regtype)
  ) casts on t.typtype = 'd'`;
}

export interface FunctionRow {
  readonly schema: string;
  readonly name: string;
  /** Types of all arguments, including outputs. */
  readonly types: readonly number[];
  /** Null when all are inputs. */
  readonly modes: readonly ("i" | "o" | "b" | "v" | "t")[] | null;
  readonly names: readonly string[] | null;
  /** The number of trailing inputs with a default. */
  readonly defaults: number;
  readonly returns: number;
  readonly isSet: boolean;
  readonly volatility: "i" | "s" | "v";
  readonly rows: number;
  /** An entry `name=value` for each setting; null when there are none. */
  readonly settings: readonly string[] | null;
  readonly isForUsers: boolean;
  readonly comment: string | null;
}

function selectFunctions(schemas: string): string {
  return `select coalesce(json_agg(json_build_object(
      'schema', n.nspname, 'name', p.proname, 'types', coalesce(p.proallargtypes, p.proargtypes::oid[])::int8[],
      'modes', p.proargmodes, 'names', p.proargnames, 'defaults', p.pronargdefaults, 'returns', p.prorettype::int8,
      'isSet', p.proretset, 'volatility', p.provolatile, 'rows', p.prorows, 'settings', p.proconfig, 'comment', d.description,
      'isForUsers', has_schema_privilege('authenticated', n.oid, 'usage') and has_function_privilege('authenticated', p.oid, 'execute'))
    order by p.proname, p.pronargs, p.oid), '[]') as found
  from (${exposedFunctions(schemas)}) p join pg_namespace n on n.oid = p.pronamespace
  left join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass and d.objsubid = 0`;
}

export interface ConstraintRow {
  readonly kind: "p" | "u" | "f";
  readonly name: string;
  readonly relation: number;
  readonly columns: readonly number[];
  /** Of a foreign key: what it refers to. */
  readonly target: number;
  readonly targetSchema: string | null;
  readonly targetName: string | null;
  readonly targetColumns: readonly number[] | null;
  readonly targetColumnNames: readonly string[] | null;
}

/** Of exposed relations and of those beneath exposed views, without copies on partitions. Includes declared foreign keys. */
function selectConstraints(schemas: string): string {
  return `with recursive ${reachedRelations(schemas)}, ${DECLARED_KEYS}
  select coalesce(json_agg(json_build_object(
      'kind', k.contype, 'name', k.conname, 'relation', k.conrelid::int8, 'columns', k.conkey, 'target', k.confrelid::int8,
      'targetSchema', n.nspname, 'targetName', c.relname, 'targetColumns', k.confkey,
      'targetColumnNames', (select json_agg(a.attname order by key.place)
        from unnest(k.confkey) with ordinality as key (number, place)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = key.number))
    order by k.contype, k.conname, k.oid), '[]') as found
  from keys k
  left join pg_class c on c.oid = k.confrelid
  left join pg_namespace n on n.oid = c.relnamespace
  where k.conrelid = any (array(select reached.oid from reached))`;
}

interface ViewRow {
  readonly oid: number;
  /** The rewrite rule as PostgreSQL stores it. */
  readonly tree: string;
}

/** Exposed views, and the views in any schema that they depend on. */
function selectViews(schemas: string): string {
  return `with recursive ${reachedRelations(schemas)}
  select coalesce(json_agg(json_build_object('oid', c.oid::int8, 'tree', r.ev_action::text)), '[]') as found
  from pg_class c join pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  where c.relkind in ('v', 'm') and c.oid = any (array(select reached.oid from reached))`;
}

export interface HandlerRow {
  readonly schema: string;
  readonly name: string;
  /** The name of the domain. */
  readonly media: string;
  readonly isBytes: boolean;
  /** The relation whose rows it takes; null means any row. */
  readonly targetSchema: string | null;
  readonly targetName: string | null;
}

/** Aggregates over one row type that return a domain with a slash in its name. */
function selectMediaHandlers(schemas: string): string {
  return `select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', p.proname, 'media', t.typname,
      'isBytes', t.typbasetype = 'bytea'::regtype, 'targetSchema', tn.nspname, 'targetName', c.relname)
    order by n.nspname, p.proname), '[]') as found
  from (${exposedAggregates(schemas)}) p
  join pg_namespace n on n.oid = p.pronamespace
  join pg_type t on t.oid = p.prorettype and t.typtype = 'd' and t.typname like '%/%'
  join pg_type taken on taken.oid = p.proargtypes[0]
  left join pg_class c on c.oid = taken.typrelid
  left join pg_namespace tn on tn.oid = c.relnamespace
  where p.pronargs = 1 and (c.oid is not null or taken.oid = 'anyelement'::regtype)`;
}

export interface SettingsRow {
  readonly role: string;
  readonly name: string;
  readonly value: string;
}

/** Settings of the roles of callers that these may set themselves; those for this database come last. */
function selectRoleSettings(): string {
  return `select coalesce(json_agg(json_build_object('role', r.rolname, 'name', s.name, 'value', entry.value)
    order by d.setdatabase <> 0), '[]') as found
  from pg_db_role_setting d
  join pg_roles r on r.oid = d.setrole
  cross join lateral unnest(d.setconfig) as config (text)
  cross join lateral (values (split_part(config.text, '=', 1), substr(config.text, strpos(config.text, '=') + 1))) as entry (name, value)
  join pg_settings s on s.name = entry.name and (s.context = 'user' or has_parameter_privilege(r.oid, s.name, 'SET'))
  where d.setrole = any (${CALLER_ROLES}) and d.setdatabase = any (${SETTING_SCOPES})`;
}

export interface LockableDetails {
  /** Relation, and a mask of what it accepts: 4 update, 8 insert, 16 delete. */
  readonly accepted: readonly (readonly [relation: number, mask: number])[];
  readonly defaults: readonly (readonly [relation: number, position: number, text: string])[];
}

/** These functions lock the relations, so they wait for concurrent schema changes. */
export function selectLockableDetails(schemas: string): string {
  return `select json_build_object(
    'accepted', coalesce((select json_agg(json_build_array(c.oid::int8, pg_relation_is_updatable(c.oid, true)))
      from pg_class c where c.relkind in ('v', 'f') and c.oid = any (array(${exposedRelations(schemas)}))), '[]'),
    'defaults', coalesce((select json_agg(json_build_array(d.adrelid::int8, d.adnum, pg_get_expr(d.adbin, d.adrelid)))
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = ''
      where d.adrelid = any (array(${exposedRelations(schemas)}))), '[]')) as found`;
}
