// The program declares each resource once, except a rekey.
package main

import (
	"os"

	"github.com/pulumi-steward/pulumi-steward/sdk/go/steward/platform"
	"github.com/pulumi-steward/pulumi-steward/sdk/go/steward/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		if err := scheduler(ctx, config.New(ctx, "").Require("schedulerAddress")); err != nil {
			return err
		}
		if err := administration(ctx); err != nil {
			return err
		}
		return site(ctx)
	})
}

// scheduler declares the resources of Vault.
func scheduler(ctx *pulumi.Context, address string) error {
	if _, err := secrets.NewSchedulerEngine(ctx, "engine", &secrets.SchedulerEngineArgs{
		Mount:           pulumi.String("team/nomad"),
		Description:     pulumi.String("A second engine"),
		DestroyOnDelete: pulumi.Bool(true),
	}); err != nil {
		return err
	}
	access, err := secrets.NewSchedulerAccess(ctx, "access", &secrets.SchedulerAccessArgs{
		Address: pulumi.String(address),
		Token:   secrets.EnvironmentReferenceArgs{Env: pulumi.String("NOMAD_MANAGEMENT_TOKEN")},
	})
	if err != nil {
		return err
	}
	after := pulumi.DependsOn([]pulumi.Resource{access})
	if _, err := secrets.NewSchedulerLease(ctx, "lease", &secrets.SchedulerLeaseArgs{
		Ttl:    pulumi.String("1h"),
		MaxTtl: pulumi.String("24h"),
	}); err != nil {
		return err
	}
	web, err := secrets.NewSchedulerRole(ctx, "web", &secrets.SchedulerRoleArgs{
		Name:     pulumi.String("web"),
		Policies: pulumi.StringArray{pulumi.String("readonly")},
	}, after)
	if err != nil {
		return err
	}
	if _, err := secrets.NewSchedulerRoles(ctx, "teams", &secrets.SchedulerRolesArgs{
		Roles: secrets.RoleAttributesMap{
			"builders":  secrets.RoleAttributesArgs{Policies: pulumi.ToStringArray([]string{"submit"})},
			"operators": secrets.RoleAttributesArgs{Policies: pulumi.ToStringArray([]string{"readonly", "submit"})},
		},
	}, after); err != nil {
		return err
	}
	token, err := secrets.NewSchedulerToken(ctx, "token", &secrets.SchedulerTokenArgs{Role: web.Name})
	if err != nil {
		return err
	}
	ctx.Export("secretId", token.SecretId)
	return nil
}

// administration declares the resources of the platform.
func administration(ctx *pulumi.Context) error {
	network, err := platform.GetWorkspace(ctx, &platform.GetWorkspaceArgs{Id: "ws-acmeNetworkTest"})
	if err != nil {
		return err
	}
	ctx.Export("workspaceName", pulumi.String(network.Name))
	triggers := pulumi.ToStringArray([]string{"1"})
	if _, err := platform.NewGeneralSettings(ctx, "general", &platform.GeneralSettingsArgs{
		LimitUserOrganizationCreation: pulumi.Bool(true),
		ApiRateLimit:                  pulumi.Int(100),
	}); err != nil {
		return err
	}
	if _, err := platform.NewCustomizationSettings(ctx, "texts", &platform.CustomizationSettingsArgs{
		SupportEmailAddress: pulumi.String("platform-team@example.com"),
	}); err != nil {
		return err
	}
	singleSignOn, err := platform.NewSamlSettings(ctx, "singleSignOn", &platform.SamlSettingsArgs{
		SiteAdminRole: pulumi.String("platform-admins"),
	})
	if err != nil {
		return err
	}
	if _, err := platform.NewSamlCertificateRevocation(ctx, "certificateRevocation", &platform.SamlCertificateRevocationArgs{
		Triggers: triggers,
	}, pulumi.DependsOn([]pulumi.Resource{singleSignOn})); err != nil {
		return err
	}
	if _, err := platform.NewSmtpSettings(ctx, "mail", &platform.SmtpSettingsArgs{
		Enabled:  pulumi.Bool(true),
		Host:     pulumi.String("smtp.example.com"),
		Port:     pulumi.Int(587),
		Sender:   pulumi.String("platform@example.com"),
		Auth:     platform.SmtpAuthLogin,
		Username: pulumi.String("platform"),
		Password: platform.EnvironmentReferenceArgs{Env: pulumi.String("SMTP_PASSWORD")},
	}); err != nil {
		return err
	}
	textMessages, err := platform.NewSmsSettings(ctx, "textMessages", &platform.SmsSettingsArgs{
		Enabled:    pulumi.Bool(true),
		AccountSid: pulumi.String("AC0123456789"),
		FromNumber: pulumi.String("+15550100"),
		AuthToken:  platform.EnvironmentReferenceArgs{Env: pulumi.String("SMS_TOKEN")},
	})
	if err != nil {
		return err
	}
	if _, err := platform.NewSmsVerification(ctx, "testMessage", &platform.SmsVerificationArgs{
		TestNumber: pulumi.String("+15550123"),
	}, pulumi.DependsOn([]pulumi.Resource{textMessages})); err != nil {
		return err
	}
	if _, err := platform.NewCostEstimationSettings(ctx, "prices", &platform.CostEstimationSettingsArgs{
		Enabled:           pulumi.Bool(true),
		CloudAAccessKeyId: pulumi.String("AKIA0123456789"),
		CloudASecretKey:   platform.EnvironmentReferenceArgs{Env: pulumi.String("PRICE_KEY")},
	}); err != nil {
		return err
	}
	if _, err := platform.NewAdminWorkspace(ctx, "workspace", &platform.AdminWorkspaceArgs{
		WorkspaceId: pulumi.String("ws-acmeNetworkTest"),
	}); err != nil {
		return err
	}
	deprecation, err := platform.NewModuleVersionDeprecation(ctx, "deprecation", &platform.ModuleVersionDeprecationArgs{
		OrganizationName: pulumi.String("acme"),
		ModuleName:       pulumi.String("network"),
		ModuleProvider:   pulumi.String("aws"),
		ModuleVersion:    pulumi.String("1.0.0"),
		Reason:           pulumi.String("Use 2.0.0."),
	})
	if err != nil {
		return err
	}
	if _, err := platform.NewModuleVersionRevocation(ctx, "revocation", &platform.ModuleVersionRevocationArgs{
		OrganizationName: pulumi.String("acme"),
		ModuleName:       pulumi.String("network"),
		ModuleProvider:   pulumi.String("aws"),
		ModuleVersion:    pulumi.String("1.0.0"),
		Message:          pulumi.String("Use 2.0.0."),
	}, pulumi.DependsOn([]pulumi.Resource{deprecation})); err != nil {
		return err
	}
	keyRotation, err := platform.NewOidcKeyRotation(ctx, "keyRotation", &platform.OidcKeyRotationArgs{Triggers: triggers})
	if err != nil {
		return err
	}
	_, err = platform.NewOidcKeyTrim(ctx, "keyTrim", &platform.OidcKeyTrimArgs{
		Triggers: triggers,
	}, pulumi.DependsOn([]pulumi.Resource{keyRotation}))
	return err
}

// site declares the resources that recent releases of the platform added.
func site(ctx *pulumi.Context) error {
	certificate, err := os.ReadFile("idp.pem")
	if err != nil {
		return err
	}
	if _, err := platform.NewSamlIdpCertificate(ctx, "idpCertificate", &platform.SamlIdpCertificateArgs{
		DisplayName: pulumi.String("The next certificate"),
		Certificate: pulumi.String(string(certificate)),
	}); err != nil {
		return err
	}
	if _, err := platform.NewScimSettings(ctx, "provisioning", &platform.ScimSettingsArgs{
		Paused: pulumi.Bool(true),
	}); err != nil {
		return err
	}
	if _, err := platform.NewScimToken(ctx, "provisioningToken", &platform.ScimTokenArgs{
		Description: pulumi.String("Okta"),
	}); err != nil {
		return err
	}
	if _, err := platform.NewDataRetentionPolicy(ctx, "retention", &platform.DataRetentionPolicyArgs{
		DeleteOlderThanDays: pulumi.Int(365),
	}); err != nil {
		return err
	}
	_, err = platform.NewBanner(ctx, "announcement", &platform.BannerArgs{
		Title:    pulumi.String("New network modules"),
		Body:     pulumi.String("Version 2 encrypts the flow logs."),
		Style:    platform.BannerStyleInfo,
		Audience: platform.BannerAudienceAuthenticatedOnly,
	})
	return err
}
