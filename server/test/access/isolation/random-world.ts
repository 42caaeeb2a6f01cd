import fc from "fast-check";

const ROLES = ["admin", "member", "viewer"] as const;

/** Everything points at users, swarms, agents … by place in their list. */
export interface RandomWorld {
  readonly users: readonly { readonly hasProvenEmail: boolean }[];
  readonly swarms: readonly { readonly owner: number }[];
  /** At most one for each swarm and user, none for the owner, whose membership comes with the swarm. */
  readonly memberships: readonly { swarm: number; user: number; role: (typeof ROLES)[number]; isActive: boolean }[];
  readonly emailMemberships: readonly { readonly swarm: number; readonly user: number }[];
  readonly agents: readonly { readonly owner: number; readonly swarms: readonly number[] }[];
  /** Without an owner: built in. */
  readonly tools: readonly { readonly owner: number | null; readonly visibility: "private" | "shared" | "public" }[];
  readonly assignments: readonly { readonly agent: number; readonly tool: number }[];
  readonly messages: readonly { readonly swarm: number; readonly user: number; readonly flaggedBy: number | null }[];
  readonly turns: readonly { readonly swarm: number; readonly agent: number; readonly isRestricted: boolean }[];
  readonly bills: readonly { readonly payer: number; readonly user: number }[];
  readonly webhooks: readonly { readonly owner: number }[];
}

export const randomWorld: fc.Arbitrary<RandomWorld> = fc
  .record({
    users: fc.integer({ min: 2, max: 4 }),
    swarms: fc.integer({ min: 1, max: 3 }),
    agents: fc.integer({ min: 1, max: 4 }),
    tools: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ users, swarms, agents, tools }) => {
    const user = fc.nat({ max: users - 1 });
    const swarm = fc.nat({ max: swarms - 1 });
    const agent = fc.nat({ max: agents - 1 });
    const list = <T>(count: number, of: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
      fc.array(of, { minLength: count, maxLength: count });
    const pair = { selector: ({ swarm: s, user: u }: { swarm: number; user: number }) => `${s} ${u}`, maxLength: 8 };
    return fc
      .record({
        users: list(users, fc.record({ hasProvenEmail: fc.boolean() })),
        swarms: list(swarms, fc.record({ owner: user })),
        memberships: fc.uniqueArray(
          fc.record({ swarm, user, role: fc.constantFrom(...ROLES), isActive: fc.boolean() }),
          pair,
        ),
        emailMemberships: fc.uniqueArray(fc.record({ swarm, user }), { ...pair, maxLength: 3 }),
        agents: list(agents, fc.record({ owner: user, swarms: fc.uniqueArray(swarm, { maxLength: swarms }) })),
        tools: list(
          tools,
          fc.record({
            owner: fc.option(user),
            visibility: fc.constantFrom("private" as const, "shared" as const, "public" as const),
          }),
        ),
        assignments: fc.uniqueArray(fc.record({ agent, tool: fc.nat({ max: tools - 1 }) }), {
          selector: ({ agent: a, tool: t }) => `${a} ${t}`,
          maxLength: 4,
        }),
        messages: fc.array(fc.record({ swarm, user, flaggedBy: fc.option(user) }), { maxLength: 6 }),
        turns: fc.array(fc.record({ swarm, agent, isRestricted: fc.boolean() }), { maxLength: 4 }),
        bills: fc.array(fc.record({ payer: user, user }), { maxLength: 3 }),
        webhooks: fc.array(fc.record({ owner: user }), { maxLength: 3 }),
      })
      .map((world) => ({
        ...world,
        memberships: world.memberships.filter(
          (membership) => world.swarms[membership.swarm]?.owner !== membership.user,
        ),
      }));
  });
