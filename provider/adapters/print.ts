import { printable } from "../log";

/** Prints a line in the output of `pulumi up`: what the program and the provider write to their standard output. @internal */
export const print = (line: string): void => console.log(printable(line));
