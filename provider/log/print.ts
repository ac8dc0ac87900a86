import { printable } from "../text/printable";

/** Prints a line to the standard output, which `pulumi up` shows. @internal */
export const print = (line: string): void => console.log(printable(line));
