import { SettingsCase, settingsCase } from "./settings";

export const settings: SettingsCase = {
  settings: "customization",
  type: "CustomizationSettings",
  values: {
    supportEmailAddress: ["two@example.com", "three@example.com"],
    loginHelp: ["<b>two</b>", "three"],
    footer: ["two", "three"],
    error: ["two", "three"],
    newUser: ["two", "three"],
  },
  inputs: { footer: "ours" },
  changed: { footer: "theirs", error: "sorry" },
  drift: [{ footer: "another" }, "footer"],
};

export const cases = [settingsCase(settings)];
