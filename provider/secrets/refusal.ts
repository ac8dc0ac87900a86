import { Operation } from "../connection";
import { StewardError } from "../errors";
import { documentedPath, matches, visiblePaths } from "./client";

/** Explains a 403 or a 404 with the paths that the OpenAPI document lists for the token. Returns any other error unchanged. */
export async function explainRefusal(operation: Operation, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || (error.status !== 403 && error.status !== 404)) return error;
  // Without a token the document lists no paths.
  const paths = operation.server.credentials.token() === undefined ? undefined : await visiblePaths(operation, "never");
  const path = documentedPath(error);
  // The document lists no paths for an unknown token either.
  if (!paths || Object.keys(paths).length === 0 || path === "") return error;
  const templates = Object.keys(paths).filter((template) => matches(template, path));
  const mount = path.replace(/^(.*)\/(config|role|creds)(\/[^/]*)?$/, "$1/");
  // The path exists, so the object is missing.
  if (templates.length > 0 && error.status === 404) return error;
  const needed = /\/role$/.test(path)
    ? "the `list` capability"
    : /\/creds\/[^/]*$/.test(path)
      ? "the `read` capability"
      : "the `create`, `read` and `update` capabilities";
  const source = `The token comes from ${operation.server.credentials.tokenSource}.`;
  if (templates.length > 0)
    return error.with({
      rule: "capability-missing",
      hint: `The token's policy must grant ${needed} on ${path}. ${source}`,
    });
  if (Object.keys(paths).some((template) => template.startsWith(mount)))
    return error.with({ rule: "path-not-visible", hint: `The token's policy does not cover ${path}. ${source}` });
  return error.with({
    rule: "mount-not-visible",
    hint: `No scheduler engine is mounted at ${mount}, or the token's policy does not cover it. Mount the secrets engine, correct \`mount\`, or extend the policy. ${source}`,
  });
}
