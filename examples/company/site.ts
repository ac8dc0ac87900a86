import * as pulumi from "@pulumi/pulumi";
import { platform } from "pulumi-steward";

export interface Mail {
  host: string;
  port: number;
  sender: string;
  username: string;
}

export interface SiteArgs {
  supportEmail: string;
  /** Without it, the settings for mail stay as they are. */
  mail?: Mail;
}

/** The settings of one Terraform Enterprise. `pulumi destroy` restores what they were before, and leaves those of mail. */
export class Site extends pulumi.ComponentResource {
  constructor(name: string, { supportEmail, mail }: SiteArgs, opts?: pulumi.ComponentResourceOptions) {
    super("company:terraform:Site", name, {}, opts);
    const parent = { parent: this };
    new platform.GeneralSettings(name, { limitUserOrganizationCreation: true, apiRateLimit: 100 }, parent);
    new platform.CustomizationSettings(name, { supportEmailAddress: supportEmail }, parent);
    if (mail)
      new platform.SmtpSettings(
        name,
        { enabled: true, ...mail, auth: "login", password: { env: "SMTP_PASSWORD" }, onDelete: "retain" },
        parent,
      );
    this.registerOutputs();
  }
}
