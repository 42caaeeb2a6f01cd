// What every model of the comparison says: an answer, or one call of a tool and then the answer.
export const QUESTION = "How warm is it in Oslo?";
export const ANSWER = "It is nine degrees in Oslo, with a light wind from the west.";
export const TOOL_NAME = "read_temperature";
export const TOOL_INPUT = { city: "Oslo" };
export const TOOL_OUTPUT = "9 degrees";
export const INSTRUCTIONS = "You tell the weather, briefly.";
