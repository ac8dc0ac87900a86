import { Clock } from "../../sandbox/clock";
import { createScheduler } from "../../sandbox/scheduler";
import { standard as schedulerDialect } from "../../sandbox/scheduler/dialect";
import { createSecrets } from "../../sandbox/secrets";
import { hashicorp, openbao, standard } from "../../sandbox/secrets/dialect";
import { createKey } from "../../sandbox/secrets/seal";

test.each(Object.entries({ standard, hashicorp, openbao }))(
  "the OpenAPI document lists exactly the registered routes, %s",
  async (_, dialect) => {
    const schedulerPeer = { url: "", ...createScheduler(schedulerDialect, new Clock()).tokens };
    const service = createSecrets(dialect, new Clock(), schedulerPeer, await createKey(1, 1));
    const headers = { [dialect.tokenHeader]: service.records.token };
    const response = await service.fetch(new Request("http://sandbox/v1/sys/internal/specs/openapi", { headers }));
    const document = (await response.json()) as { paths: Record<string, Record<string, { parameters?: object[] }>> };
    const shown = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([key]) => ["get", "post", "put", "delete"].includes(key))
        .map(([method, { parameters }]) => `${parameters ? "LIST" : method.toUpperCase()} ${path}`),
    );
    const served = service.app.routes.filter(({ method }) => method !== "ALL");
    const routes = [...new Set(served.map(({ method, path }) => `${method} ${path.replace(/\{.*\}/, "")}`))];
    // If both methods write, the document shows POST. Vault's has no rekey of recovery keys.
    const names = routes
      .filter((route) => !route.includes("/sys/rekey-recovery-key/"))
      .filter((route) => !routes.includes(route.replace(/^PUT/, "POST")) || !route.startsWith("PUT"))
      .map((route) =>
        route
          .replace("/engine/", `/${dialect.engine}/`)
          .replace("/token/", "/auth/token/")
          .replace(/:(\w+)/, "{$1}")
          .replace(/\/$/, dialect.openapi.listEnd),
      );
    expect(shown.sort()).toEqual(names.sort());
  },
);
