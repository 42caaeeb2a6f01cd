import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectIds, KINDS } from "./read-kinds.ts";
import { openRestStage } from "./rest-stage.ts";

const opened = openRestStage(KINDS, { schemas: ["kinds"] });

describe("operators on plain values", () => {
  it("compare text", () =>
    expectIds(opened.stage, {
      "name=eq.Alpha": [1],
      "name=neq.Alpha": [2, 3],
      "name=not.eq.Alpha": [2, 3],
      "name=not.neq.Alpha": [1],
      "name=gt.Alpha": [2, 3],
      "name=gte.Alpha": [1, 2, 3],
      "name=lt.B": [1],
      "name=lte.Alpha": [1],
      "name=eq.Gamma, (x)": [3],
      "name=eq.Gamma%2C%20%28x%29": [3],
      "name=like.*lpha": [1],
      "name=like.A*a": [1],
      "name=like.%25eta": [2],
      "name=ilike.*MA*": [3],
      "name=not.ilike.*a": [3],
      "name=not.like.*a": [3],
      "name=match.^[A-G]": [1, 3],
      "name=imatch.^b": [2],
      "name=not.match.a$": [3],
      "name=isdistinct.Alpha": [2, 3, 4],
      "name=not.isdistinct.Alpha": [1],
      "word=eq.one": [1],
      "word=like.t*": [2, 3],
      "fixed=eq.ab": [1],
      "mail=eq.a@x.test": [1],
      "mail=ilike.b*": [2],
      "mail=in.(a@x.test,c@x.test)": [1, 3],
    }));

  it("compare with any and with all of a list", () =>
    expectIds(opened.stage, {
      "name=eq(any).{Alpha,beta}": [1, 2],
      "name=eq(all).{Alpha,Alpha}": [1],
      "name=not.eq(any).{Alpha,beta}": [3],
      "amount=gt(any).{5,25}": [1, 2, 3],
      "amount=gt(all).{5,25}": [3],
      "amount=gte(all).{5,20}": [2, 3],
      "amount=lt(any).{11,12}": [1],
      "amount=lte(all).{20,30}": [1, 2],
      "amount=not.lte(all).{20,30}": [3],
      "name=like(any).{Al*,be*}": [1, 2],
      "name=like(all).{A*,*a}": [1],
      "name=ilike(any).{AL*,BE*}": [1, 2],
      "name=ilike(all).{A*,*A}": [1],
      "name=match(any).{^A,^G}": [1, 3],
      "name=match(all).{^A,a$}": [1],
      "name=imatch(any).{^a,^B}": [1, 2],
      "name=imatch(all).{^a,A$}": [1],
      "code=eq(any).{11111111-1111-4111-8111-111111111111}": [1],
      "seen=gt(all).{2020-06-01,2021-06-01}": [3],
      "mood=eq(any).{sad,happy}": [1, 3],
      'data->>k=eq(any).{v,"w"}': [1, 2],
      "or=(name.eq(any).{Alpha,beta},id.eq.4)": [1, 2, 4],
    }));

  it("reject any and all where they are not supported", async () => {
    for (const query of ["name=neq(any).{a}", "tags=cs(any).{a}", "name=is(any).null", "name=in(any).(a)"]) {
      const { status, json } = await opened.stage.ask(`GET /things?${query}`);
      assert.equal(status, 400, query);
      assert.equal((json as { code: string }).code, "PGRST100", query);
    }
  });

  it("compare numbers, booleans, times, uuids, enums, networks, bytes and domains", () =>
    expectIds(opened.stage, {
      "amount=eq.10": [1],
      "amount=gt.10": [2, 3],
      "amount=neq.10": [2, 3],
      "amount=isdistinct.10": [2, 3, 4],
      "price=eq.2.5": [2],
      "price=lte.2.50": [1, 2],
      "ratio=gt.1e0": [2, 3],
      "active=eq.true": [1],
      "active=neq.true": [2],
      "active=not.eq.true": [2],
      "code=eq.22222222-2222-4222-8222-222222222222": [2],
      "code=in.(22222222-2222-4222-8222-222222222222,33333333-3333-4333-8333-333333333333)": [2, 3],
      "born=gte.2021-01-01": [2, 3],
      "born=eq.2020-01-01": [1],
      "seen=lt.2021-01-01T10:00:00.123Z": [1],
      "seen=eq.2021-01-01T11:00:00.123%2B01:00": [2],
      "seen=lte.2021-01-01T11:00:00.123%2B01:00": [1, 2],
      "at=gt.08:30": [2, 3],
      "took=gte.2 hours": [2, 3],
      "mood=eq.ok": [2],
      "mood=gt.sad": [2, 3],
      "mood=in.(sad,happy)": [1, 3],
      "mood=not.in.(sad,happy)": [2],
      "net=eq.10.0.0.2": [2],
      "net=sl.10.0.0.0/8": [1, 2, 3],
      "raw=eq.\\x02": [2],
      "rate=gte.2": [2, 3],
      "rate=in.(1,3)": [1, 3],
    }));

  it("find values in a list", () =>
    expectIds(opened.stage, {
      "id=in.(1,3)": [1, 3],
      "id=in.( 1 , 3 )": [1, 3],
      "id=not.in.(1,3)": [2, 4],
      "id=in.()": [],
      "id=not.in.()": [1, 2, 3, 4],
      "name=in.()": [],
      'name=in.("Gamma, (x)",beta)': [2, 3],
      'name=in.("Gamma%2C%20(x)")': [3],
      "data->>k=in.(v,w)": [1, 2],
      "data->n=in.(5,6)": [1],
      "price=in.(1.5,3.50)": [1, 3],
    }));

  it("support the five states of is", () =>
    expectIds(opened.stage, {
      "name=is.null": [4],
      "name=not.is.null": [1, 2, 3],
      "name=is.not_null": [1, 2, 3],
      "name=not.is.not_null": [4],
      "name=is.NULL": [4],
      "active=is.true": [1],
      "active=is.false": [2],
      "active=is.TRUE": [1],
      "active=is.unknown": [3, 4],
      "active=not.is.true": [2, 3, 4],
      "active=not.is.unknown": [1, 2],
      "data->k=is.null": [3, 4],
      "data->>k=is.not_null": [1, 2],
      "home=is.null": [4],
    }));
});
