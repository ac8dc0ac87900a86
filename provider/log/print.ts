import { printable } from "../text/printable";
import { Log } from "./log";

const print = (line: string): void => console.log(printable(line));

/** Prints lines to the standard output, which `pulumi up` shows. */
export const standardOutput: Log = { info: print, warn: (line) => print(`warning: ${line}`) };
