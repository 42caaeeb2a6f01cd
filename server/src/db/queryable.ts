import type { ClientBase } from "pg";

/** A pool, whose statements are transactions of their own, or a connection, which may have a transaction open. */
export type Queryable = Pick<ClientBase, "query">;
