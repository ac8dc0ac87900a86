import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-steward";

/** The Nomad policies of each team. */
export type Teams = Record<string, string[]>;

export interface TeamRolesArgs {
  nomadAddress: string;
  /** The longest lifetime of a Nomad token. */
  maxTtl: string;
  teams: Teams;
}

/** Vault's Nomad secrets engine, with a role for each team. */
export class TeamRoles extends pulumi.ComponentResource {
  readonly roles: pulumi.Output<string[]>;

  constructor(name: string, { nomadAddress, maxTtl, teams }: TeamRolesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("company:vault:TeamRoles", name, {}, opts);
    const access = new secrets.SchedulerAccess(
      name,
      // The provider reads the management token when it writes, so no state contains it.
      { address: nomadAddress, token: { env: "NOMAD_MANAGEMENT_TOKEN" } },
      { parent: this },
    );
    const afterAccess = { parent: this, dependsOn: access };
    new secrets.SchedulerLease(name, { ttl: "30m", maxTtl }, afterAccess);
    const roles = Object.fromEntries(Object.entries(teams).map(([team, policies]) => [team, { policies }]));
    const declared = new secrets.SchedulerRoles(name, { roles }, afterAccess);
    this.roles = declared.roles.apply((all) => Object.keys(all).sort());
    this.registerOutputs({ roles: this.roles });
  }
}
