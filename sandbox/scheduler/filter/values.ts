import { parseBool } from "../../go-values";
import { kindOf } from "../types";

/** True if the string stands for the value in a field of this type. Without a value, it only checks that the string is valid. */
export function equal(type: string, value: unknown, text: string, unsuitable: string): boolean {
  const parsed = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      throw new Error(`error getting match value in expression: ${(error as Error).message}`);
    }
  };
  switch (kindOf(type)) {
    case "string":
      return value === text;
    case "bool":
      return parsed(() => readBool(text)) === value;
    case "int":
    case "uint": {
      const number = parsed(() => readInteger(text, kindOf(type) === "uint"));
      return value !== undefined && number === BigInt(value as number | bigint);
    }
    default:
      throw new Error(unsuitable);
  }
}

function readBool(text: string): boolean {
  const flag = parseBool(text);
  if (flag === undefined) throw new Error(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
  return flag;
}

/** Parses an integer in Go's syntax: decimal, 0x, 0o or 0, 0b, with underscores between digits. */
function readInteger(text: string, unsigned: boolean): bigint {
  const name = unsigned ? "ParseUint" : "ParseInt";
  const parts = /^([+-]?)(0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB]_?[01]+(?:_[01]+)*|0[oO]?_?[0-7]+(?:_[0-7]+)*|\d+(?:_\d+)*)$/.exec(
    text,
  );
  const [, sign = "", digits = ""] = parts ?? [];
  const wrong = !parts || (unsigned && sign !== "") || /^0\d*[89]/.test(digits);
  if (wrong) throw new Error(`strconv.${name}: parsing ${JSON.stringify(text)}: invalid syntax`);
  const plain = digits.replaceAll("_", "");
  const size = BigInt(/^0\d/.test(plain) ? `0o${plain.slice(1)}` : plain);
  const number = sign === "-" ? -size : size;
  const [least, most] = unsigned ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n];
  if (number < least || number > most) throw new Error(`strconv.${name}: parsing ${JSON.stringify(text)}: value out of range`);
  return number;
}
