import { word } from "../troubles/fuzz/values";
import { SettingsCase, settingsCase } from "./settings";

export const settings: SettingsCase = {
  settings: "scim",
  type: "ScimSettings",
  dialects: ["hashicorp"],
  values: {
    paused: [true, false],
    siteAdminGroupScimId: ["admins", "others"],
    siteAuditorGroupScimId: ["auditors", "others"],
  },
  ownValues: ["enabled"],
  inputs: { paused: true },
  changed: { paused: true, siteAdminGroupScimId: "admins" },
  drift: [{ paused: false }, "paused"],
  parts: ["siteAdminGroupScimId", "siteAuditorGroupScimId"],
  arbitraries: { siteAdminGroupScimId: word, siteAuditorGroupScimId: word },
};

export const cases = [settingsCase(settings)];
