import * as fc from "fast-check";
import { canary } from "./case";
import { SettingsCase, settingsCase } from "./settings";

const inputs = { accountSid: "AC1", authToken: canary("authToken"), fromNumber: "+15550100" };

export const settings: SettingsCase = {
  settings: "sms",
  type: "SmsSettings",
  values: { enabled: [true, false], accountSid: ["AC2", "AC3"], fromNumber: ["+15550102", "+15550103"] },
  complete: { accountSid: "AC1", authToken: "sms-token", fromNumber: "+15550100" },
  alsoDeclared: { authToken: "sms-token" },
  inputs,
  changed: { ...inputs, enabled: true, fromNumber: "+15550199" },
  drift: [{ "from-number": "+15550198" }, "fromNumber"],
  arbitraries: { authToken: fc.constant("canary-of-an-auth-token") },
};

export const cases = [settingsCase(settings)];
