import { defineExtension } from "swarmbase/extension";

export const extension = defineExtension({
  name: "visits",
  summary: "counts the visits of each user",
  docs: new URL("README.md", import.meta.url),
  settings: [
    {
      name: "VISITS_GREETING",
      kind: "choice",
      choices: ["Hello", "Welcome"],
      default: "Hello",
      secret: false,
      description: "The first word of every answer.",
    },
  ],
  sql: new URL("sql/", import.meta.url),
  access: {
    matrix: `
ext_visits.visits | select | -   -   -   -   -   -   no no no
ext_visits.visits | insert | yes yes yes yes yes yes no no no
ext_visits.visits | update | no  no  no  no  no  no  no no no
ext_visits.visits | delete | no  no  no  no  no  no  no no no`,
    statements: {
      "ext_visits.visits": {
        select: "select 1 from ext_visits.visits where user_id = :owner",
        insert: "insert into ext_visits.visits (user_id) values (:caller)",
        update: "update ext_visits.visits set visited_at = now()",
        delete: "delete from ext_visits.visits",
      },
    },
  },
  routes: [
    {
      method: "POST",
      path: "/visits/v1",
      access: "user",
      limit: "api",
      handler: async ({ caller }, { database, settings }) => {
        const visits = await database.asCaller(caller, async (query) => {
          await query("insert into ext_visits.visits (user_id) values ($1)", [caller.userId]);
          const [row] = await query<{ visits: number }>("select count(*)::int as visits from ext_visits.visits");
          return row?.visits;
        });
        return { body: { message: `${settings.VISITS_GREETING}, visit ${visits}` } };
      },
    },
  ],
});
