import { invalidInput } from "../invalid-input.ts";

const MAX_DEPTH = 100;
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z][a-z0-9]*)|([-+*/%^(),]))/iy;

const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };
const { abs, ceil, cos, exp, floor, max, min, round, sin, sqrt, tan, log: ln, log10: log } = Math;
const FUNCTIONS: Readonly<Record<string, (...values: [number, ...number[]]) => number>> = {
  abs,
  ceil,
  cos,
  exp,
  floor,
  ln,
  log,
  max,
  min,
  round,
  sin,
  sqrt,
  tan,
};

type Token =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "name" | "sign"; readonly text: string };

/** Evaluates an arithmetic expression. Precedence: `^` (right-associative), then `* / %`, then `+ -`. */
export function calculate(expression: string): number {
  const parser = new Parser(tokenize(expression));
  const value = parser.sum(0);
  parser.requireEnd();
  if (!Number.isFinite(value)) throw invalidInput("The expression has no finite value.");
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
    else throw invalidInput(`The expression is not valid from character ${from + 1} on.`);
  }
  return tokens;
}

/** A recursive-descent parser: each method parses one precedence level and those below it. */
class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  requireEnd(): void {
    if (this.#index < this.#tokens.length) throw invalidInput("The expression has more tokens after its end.");
  }

  sum(depth: number): number {
    if (depth > MAX_DEPTH) throw invalidInput("The expression is nested too deeply.");
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
    if (depth > MAX_DEPTH) throw invalidInput("The expression is nested too deeply.");
    if (this.#takes("-")) return -this.#signed(depth + 1);
    if (this.#takes("+")) return this.#signed(depth + 1);
    const value = this.#operand(depth);
    return this.#takes("^") ? value ** this.#signed(depth + 1) : value;
  }

  #operand(depth: number): number {
    const token = this.#tokens[this.#index];
    this.#index += 1;
    if (token === undefined) throw invalidInput("The expression ends too early.");
    if (token.kind === "number") return token.value;
    if (token.kind === "name") return this.#named(token.text, depth);
    if (token.text !== "(") throw invalidInput(`The expression has ${token.text} where a value is needed.`);
    const value = this.sum(depth + 1);
    this.#require(")");
    return value;
  }

  #named(name: string, depth: number): number {
    const constant = Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined;
    if (constant !== undefined) return constant;
    const compute = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (compute === undefined) throw invalidInput(`The expression has the unknown name ${name}.`);
    this.#require("(");
    const values: [number, ...number[]] = [this.sum(depth + 1)];
    while (this.#takes(",")) values.push(this.sum(depth + 1));
    this.#require(")");
    return compute(...values);
  }

  #takes(sign: string): boolean {
    const token = this.#tokens[this.#index];
    const isNext = token?.kind === "sign" && token.text === sign;
    if (isNext) this.#index += 1;
    return isNext;
  }

  #require(sign: string): void {
    if (!this.#takes(sign)) throw invalidInput(`The expression lacks a ${sign}.`);
  }
}
