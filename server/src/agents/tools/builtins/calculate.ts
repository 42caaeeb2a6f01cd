import { ToolFailure } from "../tool-failure.ts";

const MAX_DEPTH = 100;
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z][a-z0-9]*)|([-+*/%^(),]))/iy;

const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };
const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  abs: (x = Number.NaN) => Math.abs(x),
  ceil: (x = Number.NaN) => Math.ceil(x),
  cos: (x = Number.NaN) => Math.cos(x),
  exp: (x = Number.NaN) => Math.exp(x),
  floor: (x = Number.NaN) => Math.floor(x),
  ln: (x = Number.NaN) => Math.log(x),
  log: (x = Number.NaN) => Math.log10(x),
  max: (...values) => Math.max(...values),
  min: (...values) => Math.min(...values),
  round: (x = Number.NaN) => Math.round(x),
  sin: (x = Number.NaN) => Math.sin(x),
  sqrt: (x = Number.NaN) => Math.sqrt(x),
  tan: (x = Number.NaN) => Math.tan(x),
};

type Token =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "name" | "sign"; readonly text: string };

/** The value of an arithmetic expression, read by the usual rules: `^` first and from the right, then `* / %`, then `+ -`. */
export function calculate(expression: string): number {
  const parser = new Parser(tokenize(expression));
  const value = parser.sum(0);
  parser.requireEnd();
  if (!Number.isFinite(value)) throw refusal("The expression has no finite value.");
  return value;
}

function tokenize(expression: string): readonly Token[] {
  const text = expression.trimEnd();
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const [, number, name, sign] = TOKEN.exec(text) ?? [];
    if (number !== undefined) tokens.push({ kind: "number", value: Number(number) });
    else if (name !== undefined) tokens.push({ kind: "name", text: name.toLowerCase() });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
    else throw refusal(`The expression cannot be read from character ${from + 1} on.`);
  }
  return tokens;
}

/** One expression being read. Each method reads one level of it, and those below. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  requireEnd(): void {
    if (this.#at < this.#tokens.length) throw refusal("The expression goes on where it should have ended.");
  }

  sum(depth: number): number {
    if (depth > MAX_DEPTH) throw refusal("The expression is nested too deeply.");
    let value = this.#product(depth);
    for (;;) {
      if (this.#takes("+")) value += this.#product(depth);
      else if (this.#takes("-")) value -= this.#product(depth);
      else return value;
    }
  }

  #product(depth: number): number {
    let value = this.#signed(depth);
    for (;;) {
      if (this.#takes("*")) value *= this.#signed(depth);
      else if (this.#takes("/")) value /= this.#signed(depth);
      else if (this.#takes("%")) value %= this.#signed(depth);
      else return value;
    }
  }

  #signed(depth: number): number {
    if (depth > MAX_DEPTH) throw refusal("The expression is nested too deeply.");
    if (this.#takes("-")) return -this.#signed(depth + 1);
    if (this.#takes("+")) return this.#signed(depth + 1);
    const value = this.#operand(depth);
    return this.#takes("^") ? value ** this.#signed(depth + 1) : value;
  }

  #operand(depth: number): number {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token === undefined) throw refusal("The expression ends too early.");
    if (token.kind === "number") return token.value;
    if (token.kind === "name") return this.#named(token.text, depth);
    if (token.text !== "(") throw refusal(`The expression has ${token.text} where a value is needed.`);
    const value = this.sum(depth + 1);
    this.#require(")");
    return value;
  }

  #named(name: string, depth: number): number {
    const constant = Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined;
    if (constant !== undefined) return constant;
    const compute = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (compute === undefined) throw refusal(`The expression has the unknown name ${name}.`);
    this.#require("(");
    const values = [this.sum(depth + 1)];
    while (this.#takes(",")) values.push(this.sum(depth + 1));
    this.#require(")");
    return compute(...values);
  }

  #takes(sign: string): boolean {
    const token = this.#tokens[this.#at];
    const isNext = token?.kind === "sign" && token.text === sign;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #require(sign: string): void {
    if (!this.#takes(sign)) throw refusal(`The expression lacks a ${sign}.`);
  }
}

function refusal(message: string): ToolFailure {
  return new ToolFailure("INVALID_TOOL_INPUT", message);
}
