export { closeAfter, makeUsedDataDir, type Program, readCredentials, runProgram } from "../app/program.ts";
