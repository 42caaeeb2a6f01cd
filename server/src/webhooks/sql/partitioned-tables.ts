import type { PartitionedTable } from "../../db/index.ts";

/** Every delivery that is not finished has a row in the queue; the rows themselves are read in case that one has lost it. */
const selectUnfinished = (partition: string): string =>
  `select exists (select 1 from private.webhook_queue q
     where q.delivery_id < $2 and q.delivery_id >= coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'))
   or exists (select 1 from ${partition} d where d.status in ('pending', 'retrying')) as found`;

export const PARTITIONED_TABLES: readonly PartitionedTable[] = [
  { name: "public.webhook_deliveries", selectNeeded: selectUnfinished },
  { name: "public.webhook_delivery_attempts" },
];
