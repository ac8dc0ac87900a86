"""Declares each resource once, except a rekey."""

from pathlib import Path

import pulumi
from pulumi import ResourceOptions
from pulumi_steward import platform, scheduler, secrets

config = pulumi.Config()
# Before the first resource, so that a missing key stops the program before it writes anything.
scheduler_address = config.require("schedulerAddress")

secrets.SchedulerEngine("engine", mount="team/nomad", description="A second engine", destroy_on_delete=True)
access = secrets.SchedulerAccess(
    "access",
    address=scheduler_address,
    token={"env": "NOMAD_MANAGEMENT_TOKEN"},
)
secrets.SchedulerLease("lease", ttl="1h", max_ttl="24h")
web = secrets.SchedulerRole(
    "web",
    name="web",
    policies=["readonly"],
    opts=ResourceOptions(depends_on=[access]),
)
secrets.SchedulerRoles(
    "teams",
    roles={
        "builders": {"policies": ["submit"]},
        "operators": {"policies": ["readonly", "submit"]},
    },
    opts=ResourceOptions(depends_on=[access]),
)
token = secrets.SchedulerToken("token", role=web.name)

platform.GeneralSettings("general", limit_user_organization_creation=True, api_rate_limit=100)
platform.CustomizationSettings("texts", support_email_address="platform-team@example.com")
single_sign_on = platform.SamlSettings("singleSignOn", site_admin_role="platform-admins")
platform.SamlCertificateRevocation(
    "certificateRevocation",
    triggers=["1"],
    opts=ResourceOptions(depends_on=[single_sign_on]),
)
platform.SmtpSettings(
    "mail",
    enabled=True,
    host="smtp.example.com",
    port=587,
    sender="platform@example.com",
    auth=platform.SmtpAuth.LOGIN,
    username="platform",
    password={"env": "SMTP_PASSWORD"},
)
text_messages = platform.SmsSettings(
    "textMessages",
    enabled=True,
    account_sid="AC0123456789",
    from_number="+15550100",
    auth_token={"env": "SMS_TOKEN"},
)
platform.SmsVerification(
    "testMessage",
    test_number="+15550123",
    opts=ResourceOptions(depends_on=[text_messages]),
)
platform.CostEstimationSettings(
    "prices",
    enabled=True,
    cloud_a_access_key_id="AKIA0123456789",
    cloud_a_secret_key={"env": "PRICE_KEY"},
)
platform.AdminWorkspace("workspace", workspace_id="ws-acmeNetworkTest")
deprecation = platform.ModuleVersionDeprecation(
    "deprecation",
    organization_name="acme",
    module_name="network",
    module_provider="aws",
    module_version="1.0.0",
    reason="Use 2.0.0.",
)
platform.ModuleVersionRevocation(
    "revocation",
    organization_name="acme",
    module_name="network",
    module_provider="aws",
    module_version="1.0.0",
    message="Use 2.0.0.",
    opts=ResourceOptions(depends_on=[deprecation]),
)
platform.SamlIdpCertificate(
    "idpCertificate",
    display_name="The next certificate",
    certificate=Path("idp.pem").read_text(),
)
platform.ScimSettings("provisioning", paused=True)
platform.ScimToken("provisioningToken", description="Okta")
platform.DataRetentionPolicy("retention", delete_older_than_days=365)
platform.Banner(
    "announcement",
    title="New network modules",
    body="Version 2 encrypts the flow logs.",
    style=platform.BannerStyle.INFO,
    audience=platform.BannerAudience.AUTHENTICATED_ONLY,
)
key_rotation = platform.OidcKeyRotation("keyRotation", triggers=["1"])
platform.OidcKeyTrim("keyTrim", triggers=["1"], opts=ResourceOptions(depends_on=[key_rotation]))

network = platform.get_workspace(id="ws-acmeNetworkTest")
jobs = scheduler.list_jobs_output(token=token.secret_id)
pulumi.export("job", jobs.jobs[0]["ID"])
pulumi.export("workspaceName", network.name)
pulumi.export("secretId", token.secret_id)
