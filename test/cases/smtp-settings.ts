import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { canary } from "./case";
import { SettingsCase, settingsCase } from "./settings";

const complete = { host: "mail.example.com", port: 25, sender: "platform@example.com" };
const inputs = { ...complete, auth: "login", username: "platform", password: canary("password") };

export const settings: SettingsCase = {
  settings: "smtp",
  type: "SmtpSettings",
  values: {
    enabled: [true, false],
    host: ["mail2.example.com", "mail3.example.com"],
    port: [465, 587],
    sender: ["two@example.com", "three@example.com"],
    auth: ["login", "plain"],
    username: ["user2", "user3"],
  },
  complete,
  inputs,
  changed: { ...inputs, enabled: true, host: "other.example.com", testEmailAddress: "me@example.com" },
  drift: [{ sender: "another@example.com" }, "sender"],
  arbitraries: {
    port: fc.integer({ min: 1, max: 65535 }),
    auth: fc.constantFrom("none", "plain", "login"),
    password: fc.constant("canary-of-a-password"),
    testEmailAddress: word,
  },
};

export const cases = [settingsCase(settings)];
