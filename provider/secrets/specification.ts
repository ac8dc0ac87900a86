import type { OpenAPIV3 } from "openapi-types";
import { z } from "zod";
import { ConnectionArgs, connectionInput, rule, str, strictObject } from "../inputs";
import { read } from "../invoke";
import { ReadFunction } from "../read-function";
import { readOpenApi, system } from "./client";

/** One thing that can be done with one path. */
export interface Operation {
  /** As the document has it: below `/v1`, with the engine's own mount, and parameters in braces: `/scheduler/role/{name}`. */
  path: string;
  /** In capitals: `GET`. */
  method: string;
  /** What it does, in a few words. */
  summary?: string;
  /** What its path is about. */
  description?: string;
  /** What it answers, by status code. */
  responses: Record<string, { description: string }>;
  /** Groups that it belongs to; none where the document says nothing. */
  tags: string[];
  /** Whether the token needs the capability `sudo`. */
  sudo: boolean;
  /** Whether no token is needed. */
  unauthenticated: boolean;
  /** Whether a write creates what does not exist yet, beside updating what does. */
  createSupported: boolean;
}

/** The `info` object of an OpenAPI document. */
export interface SpecificationInfo {
  title: string;
  description?: string;
  version: string;
  license?: SpecificationLicense;
}

/** The licence of an API. */
export interface SpecificationLicense {
  name: string;
  url?: string;
}

/** What the service documents of itself, for one token. */
export interface Specification {
  /** The version of the document's format: `3.0.2`. */
  openapi: string;
  /** `version` is the service's own. */
  info: SpecificationInfo;
  /** In the order of the document, those that the options ask for. */
  operations: Operation[];
  /** The whole document as the server sent it, whatever the options ask for. It can be megabytes. */
  document: unknown;
}

/** Options of {@link getSpecification}. */
export interface GetSpecificationOptions extends ConnectionArgs {
  /**
   * Only operations of paths that begin so, such as `/sys/rekey`. A slash before it means nothing.
   * @default all paths
   */
  pathPrefix?: string;
  /**
   * Only operations of this method, in capitals or not.
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
      (method) => methods.some((known) => known === method.toLowerCase()),
      rule("method", `must be one of ${methods.join(", ").toUpperCase()}`),
    )
    .optional(),
});

/** @internal */
export const specification: ReadFunction<GetSpecificationOptions, Specification> = {
  token: "secrets:getSpecification",
  operation: "Cannot read the specification",
  system,
  options: schema,
  async run(connection, options) {
    const document = await readOpenApi(connection, "idempotent");
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
 * What the service documents of itself, `GET sys/internal/specs/openapi`: every path of every mount that the token may see, as one list of operations
 * and as it was sent. Without a token the list is empty.
 *
 * The result depends on the token's rights: it says what this token may see, and is no identity of the service. It can be megabytes: keep it out of
 * the stack's outputs, and export what is made of it. Reads in a preview as well. Throws {@link StewardError}.
 *
 * ```ts
 * const { operations } = await secrets.getSpecification({ pathPrefix: "/scheduler/" });
 * if (operations.length === 0) throw new Error("No engine is mounted there, or the token cannot see it.");
 * ```
 */
export function getSpecification(options: GetSpecificationOptions = {}): Promise<Specification> {
  return read(specification, options);
}

/** Only methods are operations: a path has `parameters`, `servers` and the vendor's flags beside them. */
function operationsOf(path: string, item: OpenAPIV3.PathItemObject | undefined): Operation[] {
  return methods.flatMap((method) => {
    const operation = item?.[method];
    if (!operation) return [];
    // The API document does not say where its flags stand: the real product has them on the path, and what an operation says of itself goes before.
    const flag = (...names: string[]): boolean => {
      const values = [operation, item].flatMap((level) => names.map((name) => (level as Record<string, unknown>)[name]));
      return values.find((value) => value !== undefined) === true;
    };
    return {
      path,
      method: method.toUpperCase(),
      ...(operation.summary === undefined ? {} : { summary: operation.summary }),
      ...descriptionOf(operation.description ?? item?.description),
      responses: responsesOf(operation.responses),
      tags: operation.tags ?? [],
      sudo: flag("x-secrets-sudo", "x-vault-sudo"),
      unauthenticated: flag("x-secrets-unauthenticated", "x-vault-unauthenticated"),
      createSupported: flag("x-secrets-create-supported", "x-vault-createSupported"),
    };
  });
}

const descriptionOf = (description: string | undefined): { description?: string } => (description === undefined ? {} : { description });

const responsesOf = (responses: OpenAPIV3.ResponsesObject | undefined): Operation["responses"] =>
  Object.fromEntries(
    Object.entries(responses ?? {}).map(([code, response]) => [
      code,
      { description: String((response as { description?: unknown }).description ?? "") },
    ]),
  );
