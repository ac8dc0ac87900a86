import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { text } from "../fields";
import { parsePolicy } from "../policy";
import { AppEnv, data, done, errors, missing } from "../response";

export const below = "sys";

export const paths = (): Described[] => [
  {
    path: "policies/acl/{name}",
    description: "Read, Modify, or Delete an access control policy.",
    operations: {
      get: { summary: "Retrieve information about the named ACL policy.", id: "policies-read-acl-policy" },
      post: { summary: "Add a new or update an existing ACL policy.", id: "policies-write-acl-policy", status: "204" },
      delete: { summary: "Delete the ACL policy with the given name.", id: "policies-delete-acl-policy", status: "204" },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/sys/policies/acl/:name";

  app.get(path, (c) => {
    const name = c.req.param("name").toLowerCase();
    const policy = c.var.records.policies.get(name);
    return policy ? data(c, { name, policy: policy.text }, "system") : missing(c);
  });

  app.on(["POST", "PUT"], path, (c) => {
    const written = c.req.param("name") as string;
    const name = written.toLowerCase();
    const policy = text(c.var.fields, "policy");
    if (!policy) return errors(c, 400, "'policy' parameter not supplied or empty");
    if (name === "root") return errors(c, 400, 'cannot update "root" policy');
    try {
      c.var.records.policies.set(name, { text: policy, rules: parsePolicy(policy) });
    } catch (error) {
      return errors(c, 400, (error as Error).message);
    }
    return written === name ? done(c) : c.json({ ...dialect.envelope(null, "system"), warnings: [`policy name was converted to ${name}`] });
  });

  app.delete(path, (c) => {
    const name = c.req.param("name").toLowerCase();
    if (name === "root") return errors(c, 400, 'cannot delete "root" policy');
    if (name === "default") return errors(c, 400, "cannot delete default policy");
    c.var.records.policies.delete(name);
    return done(c);
  });
}
