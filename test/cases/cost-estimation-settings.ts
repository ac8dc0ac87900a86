import * as fc from "fast-check";
import { canary } from "./case";
import { SettingsCase, settingsCase } from "./settings";

const complete = { cloudAAccessKeyId: "AKIA1", cloudASecretKey: "s3cret-a" };
const secrets = {
  cloudASecretKey: canary("cloudASecretKey"),
  cloudBCredentials: JSON.stringify({ key: `${canary("cloudBCredentials")}\n${canary("in the second line")}` }),
  cloudCClientSecret: canary("cloudCClientSecret"),
};

export const settings: SettingsCase = {
  settings: "cost-estimation",
  type: "CostEstimationSettings",
  values: {
    enabled: [true, false],
    cloudAAccessKeyId: ["AKIA2", "AKIA3"],
    cloudASecretKey: ["secret-2", "secret-3"],
    cloudBCredentials: ['{"type":"service_account","private_key":"two"}', '{"private_key":"three"}'],
    cloudCClientId: ["client-2", "client-3"],
    cloudCClientSecret: ["client-secret-2", "client-secret-3"],
    cloudCSubscriptionId: ["subscription-2", "subscription-3"],
    cloudCTenantId: ["tenant-2", "tenant-3"],
  },
  complete,
  inputs: { ...complete, ...secrets, enabled: true },
  changed: { ...complete, ...secrets, enabled: false, cloudCTenantId: "tenant-1" },
  drift: [{ enabled: true }, "enabled"],
  arbitraries: {
    cloudASecretKey: fc.constant("canary-of-cloud-a"),
    cloudBCredentials: fc.constantFrom('{"private_key":"canary-of-cloud-b"}', '{ "a": ["canary-of-cloud-b"], "__proto__": {} }'),
    cloudCClientSecret: fc.constant("canary-of-cloud-c"),
  },
};

export const cases = [settingsCase(settings)];
