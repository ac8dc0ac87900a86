import { z } from "zod";
import { instant, isPast } from "../contract/comparison";
import { Definition } from "../contract/definition";
import { Adopt, ConnectionArgs, nonEmptyStr, timeInput } from "../contract/inputs";
import { adminPath } from "./client";
import { Published, siteObject } from "./site-object";

/** The look of a banner. */
export type BannerStyle = "info" | "warning" | "critical";
// `pulumi import` writes `platform.BannerStyle.Info` into a program, not the string.
export const BannerStyle = { Info: "info", Warning: "warning", Critical: "critical" } as const;
/** The users who see a banner. "all_users" includes everybody who opens the login page. */
export type BannerAudience = "all_users" | "authenticated_only";
export const BannerAudience = { AllUsers: "all_users", AuthenticatedOnly: "authenticated_only" } as const;

/** The attributes of a banner. */
export interface BannerAttributes {
  /**
   * The heading, of at most 100 characters.
   * @example "Maintenance on Saturday"
   */
  title: string;
  /**
   * The message below the heading, of at most 255 characters. Terraform Enterprise removes all HTML except `strong`, `em`, `b`, `i`, and links.
   * @example "No runs start between 8:00 and 10:00 UTC."
   */
  body: string;
  /**
   * The look of the banner: "info", "warning" or "critical".
   * @example "warning"
   */
  style: BannerStyle;
  /**
   * The users who see the banner: "authenticated_only", or "all_users", which includes everybody who opens the login page.
   * @example "authenticated_only"
   */
  audience: BannerAudience;
  /**
   * The time from which users see the banner, in RFC 3339 format. Requires `scheduledExpireAt` and `timezone`. Without a schedule, users see it
   * at once.
   * @example "2027-01-09T06:00:00Z"
   */
  scheduledPublishAt: string | undefined;
  /**
   * The time until which users see the banner, in RFC 3339 format. After it, a refresh shows no drift.
   * @example "2027-01-09T10:00:00Z"
   */
  scheduledExpireAt: string | undefined;
  /**
   * The time zone in which the site administration shows the schedule, which is no part of the two times.
   * @example "UTC"
   */
  timezone: string | undefined;
}

/** Inputs of {@link Banner}. */
export interface BannerInputs
  extends ConnectionArgs,
    Pick<BannerAttributes, "title" | "body" | "style" | "audience">,
    Partial<Pick<BannerAttributes, "scheduledPublishAt" | "scheduledExpireAt" | "timezone">> {
  /**
   * The handling of another banner that the site already has. `true` changes that banner, and the provider prints the changes, old -> new. With
   * `"unchanged"` or `false`, creating the resource fails with `ERR_ALREADY_EXISTS`.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link Banner}. */
export interface BannerState extends BannerAttributes {
  /**
   * The id of the banner: `ab-…`.
   * @example "ab-7Wqm2kLsTz4bVn8x"
   */
  bannerId: string;
}

const schedule = ["scheduledPublishAt", "scheduledExpireAt", "timezone"] as const;

/**
 * The announcement that all users of the site see.
 *
 * A site has one banner: Terraform Enterprise would deactivate the current one for a new one. So if the site already has another banner, creating
 * the resource fails with `ERR_ALREADY_EXISTS` unless you set `adopt`. Deleting the resource deactivates the banner, which stays in the history.
 *
 * If another client deactivates or replaces the banner, a refresh removes the resource from the state. When its schedule ends, it stays: remove it from
 * the program, or declare new times.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator, and with `ERR_NOT_FOUND` if Terraform
 * Enterprise is older than release 2.1.0. Each read uses the list of banners, which HashiCorp's Go client documents later than the rest: in a
 * release without it, reading fails with the same error.
 *
 * @example An announcement
 * ```ts
 * new platform.Banner("network", {
 *   title: "New network modules",
 *   body: "Version 2 encrypts the flow logs.",
 *   style: "info",
 *   audience: "authenticated_only",
 * });
 * ```
 * @example A scheduled maintenance
 * ```ts
 * new platform.Banner("maintenance", {
 *   title: "Maintenance on Saturday",
 *   body: "No runs start between 8:00 and 10:00 UTC.",
 *   style: "warning",
 *   audience: "all_users",
 *   scheduledPublishAt: "2027-01-09T06:00:00Z",
 *   scheduledExpireAt: "2027-01-09T10:00:00Z",
 *   timezone: "UTC",
 * });
 * ```
 * @see [go-tfe: the OpenAPI document of Terraform Enterprise](https://github.com/hashicorp/go-tfe/tree/main/v2/openapi)
 * @requests A create that adopts a banner sends a `PATCH` instead of the `POST`.
 * @unreadable Nothing, because Terraform Enterprise returns all attributes.
 */
export const banner: Definition<BannerInputs, BannerState, Published<BannerState>> = siteObject({
  type: "Banner",
  displayName: "banner",
  name: "<title>",
  documentType: "admin-banners",
  list: ["banners"],
  id: "bannerId",
  attributes: {
    title: { input: nonEmptyStr.max(100, "must have at most 100 characters"), required: true, output: true },
    body: { input: nonEmptyStr, required: true, output: true },
    style: { input: z.enum(BannerStyle, 'must be "info", "warning" or "critical"'), required: true, output: true },
    audience: { input: z.enum(BannerAudience, 'must be "all_users" or "authenticated_only"'), required: true, output: true },
    scheduledPublishAt: { input: timeInput, output: true, compare: instant },
    scheduledExpireAt: { input: timeInput, output: true, compare: instant },
    timezone: { input: nonEmptyStr, output: true },
    bannerId: { output: true, essential: true },
  },
  rules: [
    {
      fields: schedule,
      check: (inputs) => {
        const missing = schedule.filter((name) => inputs[name] === undefined);
        const reason = "is required by the rest of the schedule";
        return missing.length === schedule.length ? [] : missing.map((path) => ({ path, rule: "schedule", reason }));
      },
    },
  ],
  // A site shows one banner: a second one would silently replace it.
  object: { fields: [], path: () => adminPath("banners") },
  find: ([other]) => other,
  refusal: { reason: "the site already has another banner", remedy: "set adopt: true to change that one." },
  isOver: ({ scheduledExpireAt }) => isPast(scheduledExpireAt),
  discover: { name: "title" },
});
