export { closeAfter, type Program, runProgram } from "../app/program.ts";
