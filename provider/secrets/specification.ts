import type { OpenAPIV3 } from "openapi-types";
import { z } from "zod";
import { ReadFunction } from "../contract/function";
import { ConnectionArgs, connectionInput, rule, str, strictObject } from "../contract/inputs";
import { read } from "../program/invoke";
import { isStringList } from "../text/json";
import { readOpenApi, system } from "./client";

/** An operation, which is one method of one path. */
export interface ApiOperation {
  /** The path below `/v1`, including the mount, with parameters in braces, such as `/nomad/role/{name}`. */
  path: string;
  /** The method in upper case, such as `GET`. */
  method: string;
  /** A short summary. */
  summary?: string;
  /** The description of the operation or, if there is none, of its path. */
  description?: string;
  /** The responses by status code. */
  responses: Record<string, { description: string }>;
  /** The tags, or an empty list if there are none. */
  tags: string[];
  /** True if the token needs the `sudo` capability. */
  sudo: boolean;
  /** True if no token is required. */
  unauthenticated: boolean;
  /** True if a write can create an object as well as update it. */
  createSupported: boolean;
}

/** The `info` object of an OpenAPI document. */
export interface SpecificationInfo {
  title: string;
  description?: string;
  version: string;
  license?: SpecificationLicense;
}

/** The license of an API. */
export interface SpecificationLicense {
  name: string;
  url?: string;
}

/** The OpenAPI document of Vault for one token. */
export interface Specification {
  /** The OpenAPI version of the document, such as `3.0.2`. */
  openapi: string;
  /** The title, version and license. */
  info: SpecificationInfo;
  /** The operations that match the options, in the order of the document. */
  operations: ApiOperation[];
  /** The whole document as the server sent it, regardless of the options. It may be several megabytes long. */
  document: unknown;
}

/** Options of {@link getSpecification}. */
export interface GetSpecificationOptions extends ConnectionArgs {
  /**
   * The prefix of the paths to return, such as `/sys/rekey`. The leading slash is optional.
   * @default all paths
   */
  pathPrefix?: string;
  /**
   * The method of the operations to return, in upper or lower case.
   * @default all methods
   */
  method?: string;
}

const methods: readonly `${OpenAPIV3.HttpMethods}`[] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const schema: z.ZodType<GetSpecificationOptions> = strictObject({
  connection: connectionInput,
  pathPrefix: str.optional(),
  method: str
    .refine(
      (method) => methods.some((name) => name === method.toLowerCase()),
      rule("method", `must be one of ${methods.join(", ").toUpperCase()}`),
    )
    .optional(),
});

export const specification: ReadFunction<GetSpecificationOptions, Specification> = {
  token: "secrets:getSpecification",
  operation: "Cannot read the specification",
  system,
  options: schema,
  async run(operation, options) {
    const document = await readOpenApi(operation);
    const { openapi, info, paths } = document;
    const prefix = `/${options.pathPrefix ?? ""}`.replace(/^\/+/, "/");
    const method = options.method?.toUpperCase();
    const operations = Object.entries(paths)
      .filter(([path]) => path.startsWith(prefix))
      .flatMap(([path, item]) => operationsOf(path, item))
      .filter((operation) => method === undefined || operation.method === method);
    return { openapi, info, operations, document };
  },
};

/**
 * Reads the OpenAPI document of Vault or OpenBao with `GET sys/internal/specs/openapi`. The function returns the document and the
 * operations of every path that the token can see, at all mounts, so without a token there are none.
 *
 * The result depends on the token's policies, so it does not identify the server. Do not make it a stack output, because it may be several
 * megabytes long. The function also runs in previews, and throws a {@link StewardError} if the request fails.
 *
 * ```ts
 * const { operations } = await secrets.getSpecification({ pathPrefix: "/nomad/" });
 * if (operations.length === 0) throw new Error("No engine is mounted there, or the token cannot see it.");
 * ```
 */
export function getSpecification(options: GetSpecificationOptions = {}): Promise<Specification> {
  return read(specification, options);
}

/** The operations of a path item, which also has `parameters`, `servers` and vendor extensions. */
function operationsOf(path: string, item: OpenAPIV3.PathItemObject | undefined): ApiOperation[] {
  return methods.flatMap((method) => {
    const operation = item?.[method];
    if (!operation) return [];
    // Vault has its extensions on the path item. The API specification does not say where, so those of an operation take precedence.
    const flag = (...names: string[]): boolean => {
      const values = [operation, item].flatMap((level) => names.map((name) => (level as Record<string, unknown>)[name]));
      return values.find((value) => typeof value === "boolean") === true;
    };
    return {
      path,
      method: method.toUpperCase(),
      ...strings({ summary: operation.summary, description: operation.description ?? item?.description }),
      responses: responsesOf(operation.responses),
      tags: isStringList(operation.tags) ? operation.tags : [],
      sudo: flag("x-secrets-sudo", "x-vault-sudo"),
      unauthenticated: flag("x-secrets-unauthenticated", "x-vault-unauthenticated"),
      createSupported: flag("x-secrets-create-supported", "x-vault-createSupported"),
    };
  });
}

/** The members that are strings. A server may send `null` for any. */
const strings = <Name extends string>(members: Record<Name, unknown>): { [Member in Name]?: string } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value === "string")) as { [Member in Name]?: string };

const responsesOf = (responses: OpenAPIV3.ResponsesObject | undefined): ApiOperation["responses"] =>
  Object.fromEntries(
    Object.entries(responses ?? {}).map(([code, response]) => [
      code,
      { description: String((response as { description?: unknown } | null)?.description ?? "") },
    ]),
  );
