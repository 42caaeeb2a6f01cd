export interface SchemaRow {
  readonly name: string;
  readonly comment: string | null;
}

export function selectSchemas(schemas: string): string {
  return `select coalesce(json_agg(json_build_object('name', n.nspname, 'comment', d.description)), '[]') as found
  from pg_namespace n
  left join pg_description d on d.objoid = n.oid and d.classoid = 'pg_namespace'::regclass
  where n.nspname = any (${schemas})`;
}
