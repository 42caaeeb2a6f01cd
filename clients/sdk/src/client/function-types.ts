import type { FunctionTable } from "../function-types/functions.ts";

export type FunctionName = keyof FunctionTable;

/** The JSON body of a call. */
export type FunctionBody<Name extends FunctionName> = FunctionTable[Name]["body"];

/** The successful response; where the actions of a function differ, that of the action. */
export type FunctionAnswer<Name extends FunctionName, Action extends string = never> = [Action] extends [never]
  ? FunctionTable[Name]["answer"]
  : FunctionTable[Name] extends { answersByAction: infer Answers }
    ? Answers[Action & keyof Answers]
    : FunctionTable[Name]["answer"];

/** The codes of errors. A failed operation of `batch` has the code of its table call, which may be one of PostgreSQL. */
export type FunctionErrorCode<Name extends FunctionName> = Name extends "batch" ? string : FunctionTable[Name]["code"];
