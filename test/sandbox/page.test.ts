import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { type Options, type Sandbox, start } from "../../sandbox/index";
import { getBrowser } from "../../tools/browser";
import { call } from "../support/call";
import { certificate, privateKey } from "../support/certificates";

let browser: Browser;
let sandbox: Sandbox;
let page: Page;
/** The errors that the browser reported. */
let complaints: string[];

beforeAll(async () => {
  const executablePath = await getBrowser();
  browser = await chromium.launch({ executablePath, args: ["--disable-gpu", "--disable-quic", "--disable-sync"] });
}, 900_000);
afterAll(() => browser?.close());
afterEach(async () => {
  await page?.context().close();
  await sandbox?.close();
});

async function open(options: Options = {}): Promise<void> {
  sandbox = await start(options);
  page = await browser.newPage();
  page.setDefaultTimeout(240_000);
  complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(sandbox.page);
  await shows("Nodes", "client-1");
}

/** Waits until the block with this title contains the string, without a reload of the page. */
async function shows(title: string, text: string | RegExp): Promise<void> {
  await block(title).filter({ hasText: text }).waitFor();
}

function block(title: string): Locator {
  return page.locator("article").filter({ has: page.locator("h3 > span:first-child", { hasText: new RegExp(`^${title}$`) }) });
}

const cells = (title: string): Promise<string[]> => block(title).locator("tbody tr > *").allTextContents();

/** All data that the page's server sends to a new visitor. */
async function said(): Promise<string> {
  const response = await fetch(`${sandbox.page}/events`);
  let all = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    all += chunk;
    if (/event: requests\n.*\n\n/.test(all)) break;
  }
  return all;
}

/** Sends a request with any method and host. */
async function ask(path: string, method: string, host?: string): Promise<{ status?: number; headers: IncomingHttpHeaders; text: string }> {
  const sent = request(`${sandbox.page}${path}`, { method, headers: host === undefined ? {} : { host } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** Changes settings of the platform. */
async function change(noun: string, attributes: object): Promise<void> {
  const { status } = await call(sandbox.platform, "PATCH", `/api/v2/admin/${noun}-settings`, { data: { attributes } });
  expect(status).toBe(200);
}

/** Sends a request of a rekey. */
const rekey = async (method: string, path: string, body?: object) =>
  (await call(sandbox.secrets, method, `/v1/sys/rekey/${path}`, body)).json;

test("roles, configuration and requests appear live", async () => {
  await open();
  const { secrets } = sandbox;
  expect(await cells("scheduler/role")).toEqual([]);
  expect(await page.locator(".changed").count()).toBe(0);
  await page.evaluate("document.body.dataset.opened = 'once'");
  await call(secrets, "POST", "/v1/scheduler/role/web", { policies: "readonly", global: true });
  await page.locator("tr.changed").first().waitFor();
  await call(secrets, "POST", "/v1/scheduler/role/search", { type: "management" });
  await call(secrets, "POST", "/v1/scheduler/config/lease", { ttl: 1800, max_ttl: 28800 });
  await call(secrets, "POST", "/v1/scheduler/config/access", { address: "http://127.0.0.1:4646", token: "a-management-token" });
  await shows("scheduler/config/access", "127.0.0.1");
  expect(await cells("scheduler/role")).toEqual(expect.arrayContaining(["web", "client", "readonly", "search", "management", "yes"]));
  expect(await cells("scheduler/config/lease")).toEqual(["ttl", "1800 s", "max ttl", "28800 s"]);
  expect(await cells("scheduler/config/access")).toEqual(expect.arrayContaining(["address", "http://127.0.0.1:4646", "token", "••••••"]));
  const requests = sandbox.requests();
  await shows("All services", `All services${requests.length}`);
  const paths = await block("All services").locator("tbody tr").allTextContents();
  expect(paths).toHaveLength(requests.length);
  expect(paths.at(-1)).toContain(`${requests[0]!.system}${requests[0]!.method}${requests[0]!.path}${requests[0]!.status}`);
  for (const name of ["web", "search"]) await call(secrets, "DELETE", `/v1/scheduler/role/${name}`);
  await shows("scheduler/role", "None.");
  expect(await page.evaluate("document.body.dataset.opened")).toBe("once");

  // The newest are listed, and all are counted.
  for (let number = 0; number < 230; number += 1) await call(secrets, "GET", `/v1/number/${number}`);
  await shows(
    "All services",
    new RegExp(`All services${sandbox.requests().length}.*/v1/number/229.*and ${sandbox.requests().length - 200} more`),
  );
  expect(await block("All services").locator("tbody tr").count()).toBe(200);
  expect(complaints).toEqual([]);
});

test("a rekey appears with its phases and its number of shares", async () => {
  await open();
  const { secrets } = sandbox;
  await shows("Rekey", "No rekey in progress.");
  await shows("Unseal keys", "unsealed");
  const former = (await cells("Unseal keys")).at(-1)!;
  await rekey("PUT", "init", { secret_shares: 2, secret_threshold: 2, require_verification: true });
  await shows("Rekey", /the current shares are being submitted.*current shares0 of 3.*new shares0 of 2/);
  const { nonce } = await rekey("GET", "init");
  for (const key of secrets.shares.slice(0, 2)) await rekey("PUT", "update", { key, nonce });
  await shows("Rekey", "current shares2 of 3");
  expect(await block("Rekey").getByRole("img", { name: "2 of 3" }).locator(".given").count()).toBe(2);
  const { keys, verification_nonce } = await rekey("PUT", "update", { key: secrets.shares[2], nonce });
  await rekey("PUT", "verify", { key: keys[0], nonce: verification_nonce });
  await shows("Rekey", /the new shares are being verified.*current shares3 of 3.*new shares1 of 2/);
  await rekey("PUT", "verify", { key: keys[1], nonce: verification_nonce });
  await shows("Rekey", "No rekey in progress.");
  await shows("Unseal keys", "2 (threshold 2)");
  expect(await block("Unseal keys").textContent()).not.toContain(former);

  await secrets.seal();
  await shows("Unseal keys", "sealed");
  expect(complaints).toEqual([]);
});

test("settings, mails, messages, deprecations and jobs appear, and defaults are collapsed", async () => {
  await open();
  const { platform, scheduler } = sandbox;
  const admin = "/api/v2/admin";
  await shows("smtp-settings", "8 defaults");
  const server = { host: "mail.example.com", port: 25, sender: "a@example.com" };
  await change("smtp", { enabled: true, ...server, "test-email-address": "b@example.com" });
  await shows("smtp-settings", /enabledtruehostmail\.example\.com.*4 more defaults/);
  await shows("Mails sent", "b@example.coma@example.commail.example.com");
  await change("sms", { enabled: true, "account-sid": "AC1", "auth-token": "hush", "from-number": "+1555" });
  await call(platform, "POST", `${admin}/sms-settings/verify`, { data: { attributes: { "test-number": "+1666" } } });
  await shows("Text messages sent", "+1666+1555");
  await call(platform, "PATCH", "/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0", {
    data: { type: "module-versions", attributes: { deprecation: { "deprecated-status": "Deprecated", reason: "It leaks.", link: null } } },
  });
  await shows("Deprecated module versions", "acme/network/aws 1.0.0It leaks.");
  await call(platform, "POST", `${admin}/oidc-settings/actions/rotate-key`);
  await shows("OIDC signing keys", "OIDC signing keys2");
  scheduler.jobs.change("web", { Status: "dead" });
  await shows("Jobs", "default/webservicedead");
  await sandbox.reset();
  await shows("Mails sent", "None.");
  await shows("All services", "None yet.");
  expect(complaints).toEqual([]);
});

test.each(["standard", "hashicorp"] as const)("neither the page nor a response of its server contains a secret, %s", async (dialect) => {
  await open({ dialect });
  const { secrets, platform, scheduler } = sandbox;
  const real = dialect === "hashicorp";
  const canaries = Array.from({ length: 7 }, (_, index) => `canary-${index}-"ü\n/`);
  const [management, key, password, sms, keyA, keyB, keyC] = canaries as [string, string, string, string, string, string, string, string];
  const mount = `/v1/${real ? "nomad" : "scheduler"}`;

  const address = "https://user:canary-in-address@nomad.example.com";
  const access = { address, token: management, client_cert: certificate, client_key: key };
  expect((await call(secrets, "POST", `${mount}/config/access`, access)).status).toBe(204);
  const created = real ? (await call(secrets, "POST", "/v1/auth/token/create", { policies: ["root"] })).json.auth.client_token : "";
  await change("smtp", { username: "mailer", password, auth: "plain" });
  await change(real ? "twilio" : "sms", { "auth-token": sms, "account-sid": "AC1" });
  const [a, b, c] = real ? ["aws", "gcp", "azure"] : ["cloud-a", "cloud-b", "cloud-c"];
  await change("cost-estimation", { [`${a}-secret-key`]: keyA, [`${b}-credentials`]: keyB, [`${c}-client-secret`]: keyC });
  await change("saml", { "idp-cert": certificate, ...(real && { "private-key": privateKey }) });
  const minted = scheduler.tokens.mint({ name: "minted" }).secret;

  await rekey("PUT", "init", { secret_shares: 2, secret_threshold: 2, require_verification: true });
  const { nonce } = await rekey("GET", "init");
  for (const key of secrets.shares.slice(0, 2)) await rekey("PUT", "update", { key, nonce });
  const { keys, keys_base64 } = await rekey("PUT", "update", { key: secrets.shares[2], nonce });
  const fresh: string[] = [...keys, ...keys_base64];
  expect(fresh).toHaveLength(4);

  // The places where no secret may be.
  const tokens = [secrets.token, platform.token, platform.memberToken, scheduler.token, minted, ...(real ? [created] : [])];
  for (const text of [...tokens, management, fresh[0]!]) await call(secrets, "GET", `/v1/auth/lookup/${encodeURIComponent(text)}`);
  await call(scheduler, "GET", "/v1/nothing?after=all");
  await shows("All services", "/v1/nothing?after=all");

  const hex = secrets.shares.map((share) => Buffer.from(share, "base64").toString("hex"));
  const kept = [...canaries, ...tokens, ...secrets.shares, ...hex, ...fresh, privateKey, privateKey.split("\n")[1]!];
  const all = [await page.content(), await page.locator("body").ariaSnapshot(), (await page.locator("body").textContent())!, await said()];
  for (const place of all) {
    expect(place).toContain("smtp-settings");
    for (const one of kept)
      for (const form of [one, encodeURIComponent(one), JSON.stringify(one).slice(1, -1)]) expect(place).not.toContain(form);
    expect(place).not.toContain("canary");
  }
  expect(await page.getByRole("img", { name: "a secret, not shown" }).count()).toBe(real ? 8 : 7);
  expect(complaints).toEqual([]);
});

test("a generated token appears as a lease until it ends, without its secret, also next to one that is not valid Unicode", async () => {
  await open();
  const { secrets, scheduler } = sandbox;
  const access = { address: "http://nomad.example.com", token: "\ud800abcdefgh" };
  await call(secrets, "POST", "/v1/scheduler/config/access", access);
  await shows("scheduler/config/access", "nomad.example.com");
  expect(await said()).not.toContain("abcdefgh");
  await call(secrets, "POST", "/v1/scheduler/config/access", { address: scheduler.url, token: scheduler.token });
  await call(secrets, "POST", "/v1/scheduler/role/web", { policies: "readonly" });
  const { data } = (await call(secrets, "GET", "/v1/scheduler/creds/web")).json;
  await call(scheduler, "GET", `/v1/acl/token/${data.secret_id}`);
  await shows("Leases of generated tokens", data.accessor_id);
  await shows("All services", "/v1/acl/token/••••••");
  for (const place of [await page.content(), await said()])
    for (const one of [data.secret_id, secrets.token, scheduler.token]) expect(place).not.toContain(one);
  sandbox.clock.advance(1e10);
  await shows("Leases of generated tokens", "None.");
});

test("HTML in the data of the services is escaped", async () => {
  await open();
  const { secrets, platform, scheduler } = sandbox;
  const evil = "<img src=x onerror=document.title='harmed'><script>document.title='harmed'</script>";
  await call(secrets, "POST", "/v1/scheduler/role/web", { policies: [evil] });
  await change("customization", { footer: evil });
  await call(secrets, "GET", `/v1/${evil.replaceAll(" ", "%20")}`);
  platform.seed({ workspaces: [{ name: evil, organization: evil }] });
  scheduler.seed({ jobs: [{ ID: evil, Status: evil }] });
  for (const title of ["scheduler/role", "customization-settings", "Workspaces", "Jobs"]) await shows(title, "<img src=x onerror=");
  await shows("All services", "onerror");
  expect(await page.locator("img, body script").count()).toBe(0);
  expect(await page.title()).toBe("Sandbox");
  // If the page ever creates elements from a string, the browser rejects that.
  await expect(page.evaluate("document.body.innerHTML = '<b></b>'")).rejects.toThrow(/TrustedHTML/);
});

test("the page's server is read-only, local, and ends with the sandbox", async () => {
  await open();
  const { hostname, port } = new URL(sandbox.page);
  expect(hostname).toBe("127.0.0.1");
  const { status, headers, text: home } = await ask("/", "GET");
  expect(status).toBe(200);
  expect(home).toContain("<h1>Sandbox</h1>");
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
  expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect(`${home}${(await ask("/page.css", "GET")).text}${(await ask("/page.mjs", "GET")).text}`).not.toMatch(/https?:\/\//);
  for (const path of ["/", "/events"]) expect(await ask(path, "HEAD")).toMatchObject({ status: 200, text: "" });
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    for (const path of ["/", "/events", "/v1/sys/mounts"])
      expect(await ask(path, method)).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  for (const path of ["/page", "/../package.json", "/toString", "//"]) expect(await ask(path, "GET")).toMatchObject({ status: 404 });
  expect(await ask("/", "GET", `localhost:${port}`)).toMatchObject({ status: 200 });
  for (const host of ["rebound.example.com", `rebound.example.com:${port}`, "127.0.0.1", `127.0.0.1:${Number(port) - 1}`])
    for (const path of ["/", "/events"]) expect(await ask(path, "GET", host)).toMatchObject({ status: 403 });
  expect(sandbox.requests()).toEqual([]);

  await sandbox.close();
  await page.getByRole("status").filter({ hasText: "the sandbox has stopped" }).waitFor();
  await expect(fetch(sandbox.page)).rejects.toThrow();
});
