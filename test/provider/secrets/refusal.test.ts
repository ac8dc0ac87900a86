import { StewardError } from "../../../provider/errors";
import { explainRefusal } from "../../../provider/secrets/refusal";
import { refusal } from "../../support/refusal";
import { serve } from "../http/exchange";

test("comparing the paths of a hostile OpenAPI document takes linear time", async () => {
  const paths = { [`/${"{a}".repeat(40)}x`]: {}, [`/${"{".repeat(500_000)}`]: {}, "/scheduler/role/{name}": {} };
  const operation = await serve((_, response) =>
    response.end(JSON.stringify({ openapi: "3.0.2", info: { title: "t", version: "1" }, paths })),
  );
  const error = new StewardError({ code: "ERR_FORBIDDEN", reason: "denied", status: 403, path: `/v1/scheduler/role/${"a".repeat(60)}` });
  const begin = Date.now();
  expect(await explainRefusal(operation, error)).toEqual(refusal("ERR_FORBIDDEN", { rule: "capability-missing" }));
  expect(Date.now() - begin).toBeLessThan(5_000);
});
