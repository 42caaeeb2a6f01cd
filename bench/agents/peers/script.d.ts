export const QUESTION: string;
export const ANSWER: string;
export const TOOL_NAME: string;
export const TOOL_INPUT: { readonly city: string };
export const TOOL_OUTPUT: string;
export const INSTRUCTIONS: string;
