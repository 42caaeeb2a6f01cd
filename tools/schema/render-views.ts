import type { Ask } from "./ask.ts";
import { OWNER, type Schema } from "./schema.ts";

interface ViewRow {
  readonly oid: string;
  readonly name: string;
  readonly options: string | null;
  readonly definition: string;
  readonly owner: string;
  readonly remark: string | null;
  readonly columnRemarks: readonly string[];
}

export async function renderViews(ask: Ask, schema: Schema): Promise<string[]> {
  const rows = await ask<ViewRow>(
    `select oid::text, oid::regclass::text as name, array_to_string(reloptions, ', ') as options,
            pg_get_viewdef(oid, true) as definition, pg_get_userbyid(relowner)::text as owner,
            quote_literal(obj_description(oid, 'pg_class')) as remark,
            array(select format('comment on column %s.%I is %L;', oid::regclass, a.attname, col_description(oid, a.attnum))
                  from pg_attribute a where a.attrelid = pg_class.oid and a.attnum > 0 and col_description(oid, a.attnum) is not null
                  order by a.attnum) as "columnRemarks"
     from pg_class where relnamespace = $1 and relkind = 'v' order by relname`,
    [schema.oid],
  );
  return rows.map(({ oid, name, options, definition, owner, remark, columnRemarks }) =>
    [
      `create view ${name}${options === null ? "" : ` with (${options})`} as`,
      definition,
      ...(owner === OWNER ? [] : [`alter view ${name} owner to ${owner};`]),
      ...(remark === null ? [] : [`comment on view ${name} is ${remark};`]),
      ...columnRemarks,
      ...(schema.grants.get(oid) ?? []),
    ].join("\n"),
  );
}
