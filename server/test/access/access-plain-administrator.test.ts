import assert from "node:assert/strict";
import pg from "pg";
import { withRole } from "../../src/db/index.ts";
import { TEMPLATE } from "../support/cluster.ts";
import { checkAccess } from "./check-access.ts";
import { openOwnCluster } from "./own-cluster.ts";

const PASSWORD = "only for this server";

// As on a managed server: nobody who migrates may pass over row rules or give that right, so every rule must say all it means.
checkAccess("access where the administrator is not a superuser", {
  open: (cleanup) =>
    openOwnCluster(cleanup, {
      prepare: prepareAdministrator,
      migrateAs: (adminUrl) => withRole(adminUrl, "administrator", PASSWORD),
    }),
  async verify({ owner }) {
    const { rows } = await owner.query(
      `select rolname from pg_roles
       where (rolsuper or rolbypassrls) and rolname in
         ('administrator', 'swarmbase_owner', 'service_role', 'authenticated', 'anon', 'sb_user', 'sb_service')`,
    );
    assert.deepEqual(rows, []);
    const { rows: owners } = await owner.query(
      "select distinct tableowner from pg_tables where schemaname in ('public', 'auth', 'private')",
    );
    assert.deepEqual(owners, [{ tableowner: "swarmbase_owner" }]);
  },
});

async function prepareAdministrator(admin: pg.Client): Promise<void> {
  await admin.query(
    `create role administrator login nosuperuser nobypassrls createrole password '${PASSWORD}';
     grant create, connect, temporary on database ${TEMPLATE} to administrator with grant option`,
  );
  const { user, password, host, port } = admin;
  const template = new pg.Client({ user, password: password ?? undefined, host, port, database: TEMPLATE });
  await template.connect();
  await template.query("grant usage, create on schema public to administrator with grant option");
  await template.end();
}
