import type { OpenAPIV3 } from "openapi-types";
import { Operation } from "../connection";
import { StewardError } from "../errors";
import { isObject } from "../text/json";
import { dialectOf, documentedPath, isBelowBuiltIn, matches, visiblePaths } from "./client";

/** The capabilities for the operations of a path in the OpenAPI document. */
function capabilitiesFor({ get, post, put }: OpenAPIV3.PathItemObject): string {
  if (post || put) return "the `create`, `read` and `update` capabilities";
  const { parameters } = get ?? {};
  const isList = Array.isArray(parameters) && parameters.some((parameter) => isObject(parameter) && parameter.name === "list");
  return isList ? "the `list` capability" : "the `read` capability";
}

/** Explains a 403 or a 404 with the paths that the OpenAPI document lists for the token. Returns any other error unchanged. */
export async function explainRefusal(operation: Operation, error: unknown): Promise<unknown> {
  if (!(error instanceof StewardError) || (error.status !== 403 && error.status !== 404)) return error;
  // Without a token the document lists no paths.
  const paths = operation.server.credentials.token() === undefined ? undefined : await visiblePaths(operation, "never");
  const path = documentedPath(error);
  // The document lists no paths for an unknown token either.
  if (!paths || Object.keys(paths).length === 0 || path === "") return error;
  const templates = Object.keys(paths).filter((template) => matches(template, path));
  // The path exists, so the object is missing.
  if (templates.length > 0 && error.status === 404) return error;
  const { words } = dialectOf(operation);
  // A policy has no slash before a path.
  const policyPath = path.slice(1);
  const source = `The token comes from ${operation.server.credentials.tokenSource}.`;
  const [item] = templates.map((template) => paths[template]);
  if (item)
    return error.with({
      rule: "capability-missing",
      hint: `The token's policy must grant ${capabilitiesFor(item)} on ${policyPath}. ${source}`,
    });
  if (isBelowBuiltIn(path) && error.status === 404)
    return error.with({
      rule: "path-not-served",
      hint: `The token's policy does not cover ${policyPath}, or ${words.service} does not serve it. ${source}`,
    });
  const mount = path.replace(/^(.*)\/(config|role|creds)(\/[^/]*)?$/, "$1/");
  if (isBelowBuiltIn(path) || Object.keys(paths).some((template) => template.startsWith(mount)))
    return error.with({ rule: "path-not-visible", hint: `The token's policy does not cover ${policyPath}. ${source}` });
  return error.with({
    rule: "mount-not-visible",
    hint: `No ${words.engine} secrets engine is mounted at ${mount.slice(1)}, or the token's policy does not cover it. Mount the engine, correct \`mount\`, or extend the policy. ${source}`,
  });
}
