import { isSecret, Output, output } from "@pulumi/pulumi/output";

// Pulumi does not tell a dynamic provider which inputs are secret. Errors and adoptions print values, so the class passes the names.

const holdsOutput = (value: unknown): boolean =>
  Output.isInstance(value) ||
  value instanceof Promise ||
  (typeof value === "object" && value !== null && Object.values(value).some(holdsOutput));

/** The names of the inputs that contain a secret. Undefined if there are none. `secretNames` are always secret. */
export function secretInputsOf(inputs: object, secretNames: readonly string[] = []): Promise<string[] | undefined> | undefined {
  const late = Object.entries(inputs).filter(([name, value]) => secretNames.includes(name) || holdsOutput(value));
  if (late.length === 0) return undefined;
  const named = late.map(async ([name, value]) => (secretNames.includes(name) || (await isSecret(output(value))) ? [name] : []));
  return Promise.all(named).then((names) => {
    const secrets = names.flat();
    return secrets.length > 0 ? secrets : undefined;
  });
}
