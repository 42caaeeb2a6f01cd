import { describe, it } from "node:test";
import { expectIds, KINDS } from "./read-kinds.ts";
import { openRestStage } from "./rest-stage.ts";

const opened = openRestStage(KINDS, { schemas: ["kinds"] });

describe("operators on structures", () => {
  it("compare arrays", () =>
    expectIds(opened.stage, {
      "tags=cs.{blue}": [1, 2],
      "tags=cs.{blue,red}": [1],
      "tags=not.cs.{red}": [2, 3],
      "tags=cd.{blue,green}": [2, 3],
      "tags=ov.{red,green}": [1],
      "tags=eq.{blue}": [2],
      "tags=eq.{}": [3],
      "marks=cs.{3}": [1, 2],
      "marks=ov.{4,9}": [2],
      "moods=cs.{ok}": [1],
      "moods=ov.{happy}": [2],
      'homes=cs.{"(Oslo,1)"}': [1],
      "or=(tags.cs.{red,blue},id.eq.4)": [1, 4],
      "and=(tags.cs.{blue},tags.ov.{red,green})": [1],
    }));

  it("compare ranges and multiranges", () =>
    expectIds(opened.stage, {
      "span=cs.[2,3)": [1],
      "span=cd.[0,10)": [1, 2],
      "span=ov.[4,6)": [1, 2],
      "span=sl.[5,6)": [1],
      "span=sr.[5,10)": [3],
      "span=nxr.[1,10)": [1, 2],
      "span=nxl.[5,6)": [2, 3],
      "span=adj.[5,7)": [1],
      "span=not.adj.[5,7)": [2, 3],
      "span=eq.[1,5)": [1],
      "span=eq.[1,4]": [1],
      "spans=ov.{[2,3)}": [1],
      "spans=cs.{[11,12)}": [2],
      "period=ov.[2020-01-15,2020-02-15)": [1, 2],
      "period=sr.[2020-02-01,2020-03-01)": [3],
      'or=(span.cs."[2,3)",id.eq.4)': [1, 4],
    }));

  it("compare JSON documents", () =>
    expectIds(opened.stage, {
      "data->>k=eq.v": [1],
      'data->k=eq."v"': [1],
      "data->n=gt.5": [2],
      "data->n=eq.5": [1],
      "data->>n=gt.5": [2],
      "data->deep->a->0=eq.10": [1],
      "data->deep->a->>0=eq.20": [2],
      "data->deep->a->-1->>b=eq.x": [1],
      "data->1=eq.2": [3],
      "data->>-1=eq.3": [3],
      'data=cs.{"k":"v"}': [1],
      'data=cd.{"k":"v","n":5,"deep":{"a":[10,{"b":"x"}]},"more":1}': [1],
      "data=eq.[1,2,3]": [3],
      'data->deep=cs.{"a":[20]}': [2],
      "data->>k=like.*": [1, 2],
      "data->>k=not.in.(v)": [2],
      "doc->a->>b=eq.one": [1],
      "doc->>z=eq.1": [1],
      "doc->z=eq.1": [1],
      'doc->a=cs.{"b":"two"}': [2],
      'doc->a->b=in.("\\"one\\"")': [1],
      "doc=eq.[1]": [3],
      'doc=cs.{"z":1}': [1],
      "doc=neq.[1]": [1, 2],
      "doc=is.null": [4],
      "doc->a->>b=in.(one,two)": [1, 2],
      "or=(data->>k.eq.v,data->n.eq.7)": [1, 2],
      'or=(data.cs.{"k":"v","n":5},id.eq.4)': [1, 4],
    }));

  it("read members of arrays and composites by arrows", () =>
    expectIds(opened.stage, {
      "home->>city=eq.Oslo": [1, 3],
      "home->zip=gt.100": [2, 3],
      "homes->1->>city=eq.Bergen": [1],
      "tags->>0=eq.blue": [2],
      "marks->-1=eq.4": [2],
      "marks->>0=in.(1,3)": [1, 2],
    }));

  it("compare whole composites", () =>
    expectIds(opened.stage, {
      "home=eq.(Oslo,100)": [1],
      "home=neq.(Oslo,100)": [2, 3],
      "home=gt.(Oslo,100)": [2, 3],
      'home=in.("(Oslo,100)","(Rome,200)")': [1, 2],
      'home=eq(any).{"(Oslo,100)"}': [1],
      "home=isdistinct.(Oslo,100)": [2, 3, 4],
      "home=not.isdistinct.(Oslo,100)": [1],
    }));

  it("search text, with and without a configuration, in vectors, plain text and JSON", () =>
    expectIds(opened.stage, {
      "search=fts.fox": [1],
      "search=fts(english).foxes": [1],
      "search=fts(simple).fox": [1],
      "search=fts.quick%26!fox": [3],
      "search=plfts.quick dogs": [3],
      "search=phfts(english).the lazy dogs": [2],
      "search=phfts(english).dogs lazy": [],
      "search=wfts(english).quick -fox": [3],
      "search=wfts(english).fox or lazy": [1, 2],
      "search=not.fts.quick": [2],
      "search=not.wfts(english).quick": [2],
      "name=fts.alpha": [1],
      "name=plfts(simple).Alpha": [1],
      "doc=fts(english).two": [2],
      "data=wfts.w": [2],
      "data->>k=fts(simple).v": [1],
      "mail=fts(simple).'a@x.test'": [1],
      "or=(search.fts.fox,search.wfts(english).lazy)": [1, 2],
      'or=(search.phfts(english)."lazy dogs",id.eq.4)': [2, 4],
    }));
});
