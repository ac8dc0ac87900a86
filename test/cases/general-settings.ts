import * as fc from "fast-check";
import { SettingsCase, settingsCase } from "./settings";

export const settings: SettingsCase = {
  settings: "general",
  type: "GeneralSettings",
  values: {
    limitUserOrganizationCreation: [false, true],
    apiRateLimitingEnabled: [true, false],
    apiRateLimit: [400, 500],
    sendPassingStatusesForUntriggeredSpeculativePlans: [true, false],
    allowSpeculativePlansOnPullRequestsFromForks: [true, false],
    defaultRemoteStateAccess: [false, true],
  },
  productValues: { applyTimeout: ["12h", "6h"], planTimeout: ["1h", "3h"] },
  inputs: { apiRateLimit: 400 },
  changed: { apiRateLimit: 500, defaultRemoteStateAccess: false },
  parts: ["apiRateLimit", "defaultRemoteStateAccess"],
  drift: [{ "api-rate-limit": 50 }, "apiRateLimit"],
  arbitraries: { apiRateLimit: fc.nat(1000), applyTimeout: fc.constantFrom("12h", "1h30m"), planTimeout: fc.constantFrom("2h", "120m") },
};

export const cases = [settingsCase(settings)];
