import { printable } from "../log";

/** Prints a line to the standard output, which `pulumi up` shows. @internal */
export const print = (line: string): void => console.log(printable(line));
