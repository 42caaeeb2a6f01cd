export { keepLineBreaks } from "../../components/keep-line-breaks.ts";
