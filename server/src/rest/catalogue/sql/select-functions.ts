import { exposedFunctions } from "./exposed.ts";

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
  readonly comment: string | null;
}

export function selectFunctions(schemas: string): string {
  return `select coalesce(json_agg(json_build_object(
      'schema', n.nspname, 'name', p.proname, 'types', coalesce(p.proallargtypes, p.proargtypes::oid[])::int8[],
      'modes', p.proargmodes, 'names', p.proargnames, 'defaults', p.pronargdefaults, 'returns', p.prorettype::int8,
      'isSet', p.proretset, 'volatility', p.provolatile, 'rows', p.prorows, 'comment', d.description)
    order by p.proname, p.pronargs, p.oid), '[]') as found
  from (${exposedFunctions(schemas)}) p
  join pg_namespace n on n.oid = p.pronamespace
  left join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass and d.objsubid = 0`;
}
