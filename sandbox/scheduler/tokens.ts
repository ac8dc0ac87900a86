import { Dialect } from "./dialect";
import { denied, HttpError } from "./http-error";
import { manages } from "./policy";
import { Records, Token } from "./records";
import { SchedulerTokenRequest } from "./service";

/** Creates a token. `secret`: a management token. */
export function createToken(records: Records, secret: string, request: SchedulerTokenRequest, { needsKnownPolicies }: Dialect): Token {
  authorize(records, secret);
  const { name = "", type = "client", policies = [] } = request;
  const problems: string[] = [];
  if (name.length > 256) problems.push("token name too long");
  if (type === "client" && policies.length === 0) problems.push("client token missing policies or roles");
  if (type === "management" && policies.length > 0) problems.push("management token cannot be associated with policies or roles");
  const unknown = needsKnownPolicies ? policies.filter((policy) => !records.policies.has(policy)) : [];
  if (unknown.length > 0) problems.push(`policies not found: ${unknown.join(", ")}`);
  if (problems.length === 0) return records.mint(request);
  const list = problems.map((problem) => `\t* ${problem}\n`).join("");
  throw new HttpError(400, `token 0 invalid: ${problems.length} error${problems.length > 1 ? "s" : ""} occurred:\n${list}\n`);
}

/** Deletes a token. `secret`: a management token. */
export function deleteToken(records: Records, secret: string, accessor: string): void {
  authorize(records, secret);
  if (!records.revoke(accessor)) throw new HttpError(400, `Cannot delete nonexistent tokens: ${accessor}`);
}

function authorize(records: Records, secret: string): void {
  if (records.leaderless !== undefined) throw new HttpError(500, "No cluster leader");
  if (!manages(records, secret)) throw denied();
}
