import { Claims } from "../contract/definition";
import { Operation, Writer } from "../contract/operation";
import { Json } from "../text/json";
import { adminPath, assertGone, call, callAsAdministrator, completed, isNotFound, ResourceObject, remove, resourceOf } from "./client";
import { pageOf, readAll } from "./pages";

/** The objects of one type in the administration API. The server chooses the id of each. */
export function collection(type: string, ...segments: string[]) {
  const path = adminPath(...segments);
  const pathOf = (id: string): string => adminPath(...segments, id);
  const document = (attributes: Json): Json => ({ data: { type, attributes } });
  return {
    path,
    /** Lists the objects. HashiCorp's documents show no pages, but the list may have some. */
    async list(operation: Operation): Promise<ResourceObject[]> {
      const document = await callAsAdministrator(operation, { method: "GET", path, retry: "idempotent" });
      const { items, next } = pageOf(document, path, completed);
      return next === undefined ? items : readAll(operation, path, callAsAdministrator);
    },

    /** Reads an object; undefined if it does not exist. */
    async read(operation: Operation, id: string): Promise<ResourceObject | undefined> {
      const request = { method: "GET", path: pathOf(id), retry: "idempotent" } as const;
      try {
        return resourceOf(await call(operation, request), request);
      } catch (error) {
        return assertGone(operation, error);
      }
    },

    /** Creates an object. Retried only after a 429, since each request creates another one. */
    async create(operation: Writer, attributes: Json): Promise<ResourceObject> {
      const request = { method: "POST", path, body: document(attributes), retry: "only429" } as const;
      return resourceOf(await callAsAdministrator(operation, request), request);
    },

    async update(operation: Writer, id: string, attributes: Json): Promise<ResourceObject> {
      const request = { method: "PATCH", path: pathOf(id), body: document(attributes), retry: "idempotent" } as const;
      try {
        return resourceOf(await call(operation, request), request);
      } catch (error) {
        if (!isNotFound(operation, error)) throw error;
        await assertGone(operation, error);
        throw error.with({ rule: "gone", reason: "it no longer exists", hint: "Run `pulumi refresh`, then `pulumi up` again." });
      }
    },

    /** Deletes an object, unless another resource manages `object`. */
    remove: (claims: Claims, object: string, id: string): Promise<unknown> =>
      claims.each(object, (claim) =>
        remove({ ...claim, path: pathOf(id) }, "idempotent").catch((error) => assertGone(claim.operation, error)),
      ),
  };
}
