// The program of one company: Vault, Nomad and Terraform Enterprise, in the stacks `dev` and `prod`. README.md explains it.
import * as pulumi from "@pulumi/pulumi";
import { servicesDown } from "./services";
import { Mail, Site } from "./site";
import { TeamRoles, Teams } from "./team-roles";

const config = new pulumi.Config();
// Before the first resource, so that a missing key stops the program before it writes anything.
const nomadAddress = config.require("nomadAddress");
const maxTtl = config.require("maxTtl");
const supportEmail = config.require("supportEmail");
const teams = config.requireObject<Teams>("teams");

const { roles } = new TeamRoles("nomad", { nomadAddress, maxTtl, teams });
new Site("terraform", { supportEmail, mail: config.getObject<Mail>("mail") });

/** The roles from which Vault generates Nomad tokens. */
export const teamRoles = roles;
/** The services of Nomad that should run and do not. */
export const down = servicesDown();
