import type { PipelinedStatement } from "@swarmbase/postgres";
import type pg from "pg";
import { databaseRoleOf } from "../../../db/index.ts";
import type { AnnouncedMessage } from "../stored-message.ts";
import type { TopicCheck } from "../../realtime-options.ts";

/** Sets what `realtime.topic()` returns in policies, until the transaction ends. */
export function setTopic(topic: string): PipelinedStatement {
  return { text: "select pg_catalog.set_config('realtime.topic', $1, true)", values: [topic] };
}

/** One row per check, in their order: readable extensions, writable extensions, error of a policy. */
export function checkTopicAccess(checks: readonly TopicCheck[]): PipelinedStatement {
  return {
    text: `select readable, writable, failure
      from private.check_topic_access($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])`,
    values: [
      checks.map(({ principal }) => databaseRoleOf(principal)),
      checks.map(({ principal }) => JSON.stringify(principal.claims)),
      checks.map(({ principal: { claims } }) => (typeof claims["sub"] === "string" ? claims["sub"] : "")),
      checks.map(({ topic }) => topic),
      checks.map(({ writes }) => writes.join()),
    ],
  };
}

export function insertMessage({ id, topic, event, isBinary, payload }: AnnouncedMessage): PipelinedStatement {
  return {
    text: `insert into realtime.messages (id, topic, extension, event, payload, binary_payload, private)
      values ($1::uuid, $2, 'broadcast', $3, $4::jsonb, pg_catalog.decode($5, 'base64'), true)`,
    values: [id, topic, event, isBinary ? null : payload.toString(), isBinary ? payload.toString("base64") : null],
  };
}

export function announceMessage(prefix: string, content: string): PipelinedStatement {
  return { text: "select pg_catalog.pg_logical_emit_message(true, $1, $2::text)", values: [prefix, content] };
}

/** The latest messages since a time, oldest first: id, event, payload, binary payload in base64. */
export function selectMessages(topic: string, since: Date, limit: number): PipelinedStatement {
  return {
    text: `select id, event, payload::text, pg_catalog.encode(binary_payload, 'base64')
      from (
        select id, event, payload, binary_payload, inserted_at
        from realtime.messages
        where topic = $1 and extension = 'broadcast' and private and inserted_at >= $2::timestamptz
        order by inserted_at desc
        limit $3::int
      ) latest
      order by inserted_at`,
    values: [topic, since.toISOString(), limit],
  };
}

/** Deletes a few expired messages, as `private.send_realtime` does. */
export async function deleteOldMessages(pool: pg.Pool): Promise<void> {
  await pool.query(`delete from realtime.messages m where m.id in (
    select o.id from realtime.messages o where o.inserted_at < pg_catalog.now() - interval '3 days'
    order by o.inserted_at limit 10 for update skip locked)`);
}
