// Examples that the compiler has to accept or reject; never run.
import { type DeepPartial, type FunctionsClient, type Json, respond, type RunStream } from "@swarmbase/sdk";
import { z } from "zod";

/** True only for types that are the same. */
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
function expectSame<One, Other>(_isSame: Same<One, Other>): void {}

const swarm_id = "01a1df08-9751-7013-b82e-db7e0071bee4";
const schema = z.object({
  city: z.string(),
  days: z.array(z.object({ degrees: z.number() })),
  at: z.string().transform((text) => new Date(text)),
});
interface Forecast {
  city: string;
  days: { degrees: number }[];
  at: Date;
}

export async function structured(client: FunctionsClient): Promise<void> {
  const stream = respond(client, { swarm_id, message: "How warm?", schema });
  for await (const answer of stream) {
    if (answer.isComplete) {
      expectSame<typeof answer.data, Forecast>(true);
      answer.data.days[0]?.degrees.toFixed(1);
      // @ts-expect-error: the schema has no such member
      void answer.data.country;
    } else {
      expectSame<typeof answer.data, DeepPartial<Forecast>>(true);
      answer.data.days?.[0]?.degrees?.toFixed(1);
      // @ts-expect-error: a member may be missing
      answer.data.city.toUpperCase();
      // @ts-expect-error: so may a member of a member
      answer.data.days?.[0]?.degrees.toFixed(1);
    }
  }
  const run = await stream.result();
  expectSame<typeof run.data, Forecast>(true);
  expectSame<(typeof run.responses)[number]["data"], Forecast | null>(true);
  // @ts-expect-error: not every response has a value
  void run.responses[0]?.data.city;

  const plain = await respond(client, { swarm_id, message: "How warm?", schema: { type: "object" } }).result();
  expectSame<typeof plain.data, Json>(true);
  // @ts-expect-error: the schema is given twice
  respond(client, { swarm_id, message: "How warm?", schema, response_schema: {} });
  // @ts-expect-error: not a schema
  respond(client, { swarm_id, message: "How warm?", schema: "object" });
  expectSame<ReturnType<typeof withoutSchema>, RunStream>(true);
}

function withoutSchema(client: FunctionsClient) {
  return respond(client, { swarm_id, message: "How warm?" });
}

export async function tools(client: FunctionsClient): Promise<void> {
  const stream = respond(client, {
    swarm_id,
    message: "Where am I?",
    tools: {
      locate: {
        description: "Returns the position of the user.",
        schema: z.object({ precise: z.boolean() }),
        execute(input, call) {
          expectSame<typeof input, { precise: boolean }>(true);
          expectSame<typeof call.toolExecutionId, string>(true);
          // @ts-expect-error: the schema has no such member
          return input.exact;
        },
      },
      ask: {
        description: "Asks the user.",
        schema: { type: "object" },
        execute: async (input) => {
          expectSame<typeof input, Json>(true);
          return null;
        },
      },
    },
  });
  expectSame<typeof stream, RunStream>(true);
  const answer = respond(client, { swarm_id, message: "How warm?", schema, tools: {} });
  expectSame<Awaited<ReturnType<typeof answer.result>>["data"], Forecast>(true);
  // @ts-expect-error: a tool has a function
  respond(client, { swarm_id, message: "Where am I?", tools: { locate: { description: "", schema: {} } } });
}
