import { createContext, useContext } from "react";

/** The values that snippets need to reach this service. None of them is secret. */
export interface CodeValues {
  readonly url: string;
  readonly anonKey: string;
}

export const CodeValuesContext = createContext<CodeValues>({ url: "https://localhost:8443", anonKey: "" });

export function useCodeValues(): CodeValues {
  return useContext(CodeValuesContext);
}
