export { extension } from "./extension.ts";
