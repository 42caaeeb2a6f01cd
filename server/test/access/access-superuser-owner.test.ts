import assert from "node:assert/strict";
import { checkAccess } from "./check-access.ts";
import { openOwnCluster } from "./own-cluster.ts";

// A superuser reads past every row rule, so a definer function or view that leans on its owner's rights shows here.
checkAccess("access where the schema's owner is a superuser", {
  open: (cleanup) =>
    openOwnCluster(cleanup, {
      prepare: async (admin) => {
        await admin.query("create role swarmbase_owner superuser login noinherit");
      },
    }),
  async verify({ owner }) {
    const { rows } = await owner.query("select rolsuper from pg_roles where rolname = current_user");
    assert.deepEqual(rows, [{ rolsuper: true }]);
  },
});
