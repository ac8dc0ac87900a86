import { z } from "zod";

// What the inputs of many resources, functions and connections are, and how what a schema finds wrong with them is said.

/** @internal */
export const flag: z.ZodBoolean = z.boolean("must be true or false");
/** @internal */
export const text: z.ZodString = z.string("must be a text");
/** @internal */
export const nonEmptyText: z.ZodString = text.min(1, "must not be empty");
/** @internal */
export const texts: z.ZodArray<z.ZodString> = z.array(text, "must be a list of texts");

/** An object with these keys and no other: one that is none of them is named, with those that there are. @internal */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `${(keys as string[]).map((key) => `"${key}"`).join(", ")} ${(keys as string[]).length === 1 ? "is" : "are"} not known here; known are ${Object.keys(shape).join(", ")}`
        : undefined,
  });

/** The input `connection` of every resource and function. @internal */
export const connectionInput: z.ZodType<string | undefined> = z.string("must be the name of a connection").optional();
/** The options of a function that takes nothing else. @internal */
export const onlyConnection: z.ZodType<{ connection?: string }> = strictObject({ connection: connectionInput });

type Issue = { path: readonly PropertyKey[]; message: string };

/** `roles.web.policies[0]`. @internal */
export const pathOf = ({ path }: Issue): string =>
  path.map((part, depth) => (typeof part === "number" ? `[${part}]` : `${depth > 0 ? "." : ""}${String(part)}`)).join("");

/** In one line. @internal */
export const described = ({ issues }: { issues: readonly Issue[] }): string =>
  issues.map((issue) => [pathOf(issue), issue.message].filter(Boolean).join(": ")).join("; ");

/** What Pulumi marks its special values with: an object with such a key is a secret or an asset, or an error. */
const signature = "4dabf18193072939515e22adb298388d";

/**
 * Whether a name that a server chose can be a key of an input or output. Pulumi loses `__proto__` and half a character on its way, and refuses the
 * signature. @internal
 */
export const isStorableKey = (name: string): boolean => name !== "__proto__" && name !== signature && !/\p{Surrogate}/u.test(name);

/** Whether an address, `https://user:password@host`, holds a secret that the state would keep in clear text. @internal */
export const holdsCredentials = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return Boolean(url?.username || url?.password);
};
