import { Engine, NativeEngine } from "../../support/engine";
import { onEachPlatform } from "../../support/platform";
import { printed } from "../../support/printed";
import { refusal } from "../../support/refusal";

const start = Date.parse("2026-01-31T12:00:00.000Z");
const hour = 3_600_000;
/** The clock of Pulumi and of the platform, which no test waits for. */
const at = (hours: number): void => void jest.setSystemTime(start + hours * hour);
const time = (hours: number): string => new Date(start + hours * hour).toISOString();

const general = "GET general-settings";
const organizations = "GET organizations?page%5Bnumber%5D=1&page%5Bsize%5D=100";
const rotate = "POST oidc-settings/actions/rotate-key";
const trim = "POST oidc-settings/actions/trim-key";
const waiting = (hours: number): string =>
  `OIDC key rotation: not trimmed yet: \`pulumi up\` after ${time(hours)} trims the old keys, whose tokens have expired by then`;
const trims = "OIDC key rotation: trims the old keys, whose tokens have expired";

beforeEach(() => {
  const timers = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"] as const;
  jest.useFakeTimers({ now: start, doNotFake: [...timers, "nextTick", "queueMicrotask", "performance", "hrtime"] });
});
afterEach(() => jest.useRealTimers());

onEachPlatform("a rotation of the OIDC signing key", (current) => {
  beforeEach(async () => {
    // The keys begin with the time of the test.
    await current().sandbox.reset();
    await current().change("general", { apiRateLimitingEnabled: false });
  });
  const kids = (): string[] => Array.from(current().service.signingKeys(), ({ kid }) => kid);
  /** Reads the timeouts in the hashicorp dialect. */
  const reads = (): string[] => (current().dialect === "hashicorp" ? [general, organizations] : []);
  const timeouts = async (plan: unknown, apply: unknown): Promise<void> => {
    if (current().dialect === "hashicorp") await current().change("general", { planTimeout: plan, applyTimeout: apply });
  };
  const rotation = (): Engine => current().engine("OidcKeyRotation");

  /** The lines that an operation prints. */
  const lines = async (operation: () => Promise<unknown>): Promise<string[]> => {
    printed.length = 0;
    await operation();
    return [...printed];
  };

  test.each([Engine, NativeEngine])(
    "rotates, says when it will trim, and trims with the first up after that time: %p",
    async (Mechanism) => {
      const { requests, config } = current();
      const monthly = new Mechanism("platform:OidcKeyRotation", config());
      const january = { triggers: ["2026-01"], trimLater: true };
      const [first] = kids();
      expect(await requests(() => monthly.preview(january))).toEqual([]);
      expect(kids()).toEqual([first]);
      const created = await requests(async () => expect(await lines(() => monthly.up(january))).toEqual([waiting(24)]));
      expect(created).toEqual([...reads(), rotate]);
      expect(monthly.outputs()).toEqual({ ...january, performedAt: time(0), trimAt: time(24) });
      const [, second] = kids();
      expect(kids()).toEqual([first, second]);

      for (const hours of [1, 24 - 1 / 3600]) {
        at(hours);
        for (const operation of ["preview", "up"] as const)
          expect(await requests(async () => expect(await lines(() => monthly[operation](january))).toEqual([waiting(24)]))).toEqual([]);
        expect(await monthly.up(january)).toBe("same");
        expect(await requests(async () => expect(await monthly.refresh()).toEqual([]))).toEqual([]);
      }
      expect(kids()).toEqual([first, second]);

      at(24);
      expect(await requests(async () => expect(await lines(() => monthly.refresh())).toEqual([]))).toEqual([]);
      expect(await monthly.refresh()).toEqual([]);
      expect(await requests(async () => expect(await lines(() => monthly.preview(january))).toEqual([trims]))).toEqual([]);
      expect(await monthly.preview(january)).toMatchObject({ operation: "update", replaces: [] });
      expect(await requests(async () => expect(await lines(() => monthly.up(january))).toEqual([trims]))).toEqual([trim]);
      expect(kids()).toEqual([second]);
      expect(monthly.outputs()).toEqual({ ...january, performedAt: time(0) });

      at(48);
      expect(await requests(async () => expect(await lines(() => monthly.up(january))).toEqual([]))).toEqual([]);
      expect(await monthly.refresh()).toEqual([]);
      at(100);
      expect(await requests(() => monthly.destroy())).toEqual([]);
    },
  );

  test("that is triggered again before the trim postpones it, and after that time trims first", async () => {
    const { requests } = current();
    const monthly = rotation();
    await monthly.up({ triggers: ["1"], trimLater: true });
    const [, second] = kids();
    at(23);
    expect(await requests(() => monthly.up({ triggers: ["2"], trimLater: true }))).toEqual([...reads(), rotate]);
    expect(monthly.outputs().trimAt).toBe(time(47));
    at(24);
    expect(await monthly.up({ triggers: ["2"], trimLater: true })).toBe("same");
    expect(kids()).toHaveLength(3);
    at(47);
    expect(await requests(() => monthly.up({ triggers: ["3"], trimLater: true }))).toEqual([...reads(), rotate, trim]);
    // The last key but one has signed the tokens of runs in progress.
    expect(kids()).toHaveLength(2);
    expect(kids()).not.toContain(second);
    expect(monthly.outputs()).toMatchObject({ performedAt: time(47), trimAt: time(71) });
  });

  test.each<[plan: unknown, apply: unknown, hours: number, organization?: object]>([
    ["1h", "30m", 1],
    ["1h", "36h", 36],
    ["26h", "25h", 26],
    ["1h30m", "90m", 1.5],
    // The default replaces an invalid timeout.
    ["2h", null, 24],
    [null, "30h", 30],
    ["soon", "1h", 24],
    ["0s", "1h", 24],
    // The platform then trims the keys itself.
    ["2h", "9999h", 720],
    ["1h", "2h", 36, { planTimeout: "30m", applyTimeout: "36h" }],
    ["1h", "2h", 40, { planTimeout: "40h", applyTimeout: "36h" }],
    ["1h", "2h", 2, { applyTimeout: "30m" }],
    ["1h", "2h", 24, { applyTimeout: "soon" }],
    ["1h", "2h", 720, { applyTimeout: "9999h" }],
  ])(
    "waits for the longest timeout: plan %s, apply %s, %i h, of an organization on any page %j",
    async (plan, apply, hours, organization = {}) => {
      const { service, requests, dialect } = current();
      await timeouts(plan, apply);
      const others = Array.from({ length: 250 }, (_, index) => ({ name: `team-${index}` }));
      service.seed({ organizations: [...others, { name: "slow", ...organization }] });
      const monthly = rotation();
      const pages = [1, 2, 3].map((page) => organizations.replace("=1&", `=${page}&`));
      const read = dialect === "hashicorp" ? [general, ...pages] : [];
      expect(await requests(() => monthly.up({ trimLater: true }))).toEqual([...read, rotate]);
      expect(monthly.outputs().trimAt).toBe(time(dialect === "hashicorp" ? hours : 24));
    },
  );

  test.each(["general-settings", "organizations"])("rotates nothing if the timeouts in %s cannot be read", async (path) => {
    const { sandbox, dialect, fault } = current();
    const isRead = dialect === "hashicorp";
    fault(new RegExp(path), { method: "GET", status: 500, times: 99 });
    const monthly = rotation();
    const creation = monthly.up({ trimLater: true });
    await (isRead ? expect(creation).rejects.toThrow(refusal("ERR_SERVER", { method: "GET" })) : creation);
    expect(kids()).toHaveLength(isRead ? 1 : 2);
    sandbox.faults.clear();
    await monthly.up({ trimLater: true });
    expect(kids()).toHaveLength(2);
  });

  test("a failed trim is repeated by the next up, which does not rotate", async () => {
    const { requests, sandbox } = current();
    for (const fault of [{ status: 500 }, { status: 503 }, { action: "drop-after" }, { action: "drop-before" }] as const) {
      at(0);
      const monthly = rotation();
      await monthly.up({ trimLater: true });
      at(24);
      current().fault(/trim-key/, { method: "POST", times: 99, ...fault });
      await expect(monthly.up({ trimLater: true })).rejects.toThrow(/^Cannot update OIDC key rotation: .*trim-key/);
      sandbox.faults.clear();
      expect(monthly.state).toMatchObject({ initErrors: false, outputs: { trimAt: time(24) } });
      expect(await requests(() => monthly.up({ trimLater: true }))).toEqual([trim]);
      expect(await monthly.up({ trimLater: true })).toBe("same");
    }
  });

  test("a rotation without a response is repeated without a trim of the key before it", async () => {
    const { requests, sandbox } = current();
    const monthly = rotation();
    await monthly.up({ triggers: ["1"], trimLater: true });
    const [first, second] = kids();
    at(24);
    sandbox.faults.add({ system: "platform", method: "POST", path: /rotate-key/, action: "drop-after", times: 9 });
    const failure = refusal("ERR_NO_RESPONSE", { method: "POST" });
    await expect(monthly.up({ triggers: ["2"], trimLater: true })).rejects.toThrow(failure);
    sandbox.faults.clear();
    expect(kids()).not.toContain(first);
    expect(await requests(() => monthly.up({ triggers: ["2"], trimLater: true }))).toEqual([...reads(), rotate]);
    expect(kids()).toContain(second);
    expect(monthly.outputs().trimAt).toBe(time(48));
  });

  test("a creation without a response rotates again, and then schedules the trim", async () => {
    const { requests, sandbox } = current();
    const monthly = rotation();
    sandbox.faults.add({ system: "platform", method: "POST", path: /rotate-key/, action: "drop-after" });
    await expect(monthly.up({ trimLater: true })).rejects.toThrow(refusal("ERR_NO_RESPONSE", { method: "POST" }));
    at(1);
    expect(await requests(() => monthly.up({ trimLater: true }))).toEqual([...reads(), rotate]);
    expect(monthly.outputs()).toMatchObject({ performedAt: time(1), trimAt: time(25) });
  });

  test("trimLater alone sets and drops the time, and never rotates", async () => {
    const { requests } = current();
    const monthly = rotation();
    expect(await requests(() => monthly.up({}))).toEqual([rotate]);
    expect(monthly.outputs()).not.toHaveProperty("trimAt");
    at(30);
    expect(await requests(() => monthly.up({ trimLater: true }))).toEqual(reads());
    expect(monthly.outputs()).toMatchObject({ performedAt: time(0), trimAt: time(24) });
    expect(await requests(() => monthly.up({ trimLater: false }))).toEqual([]);
    expect(monthly.outputs()).not.toHaveProperty("trimAt");
    expect(await monthly.up({ trimLater: false })).toBe("same");
    expect(await requests(() => monthly.up({ trimLater: true }))).toEqual(reads());
    expect(await requests(() => monthly.up({ trimLater: true }))).toEqual([trim]);
  });

  test.each([null, "", "soon", "2026-99-99", {}])(
    "trimLater waits from now if the state has %j as the time of the rotation",
    async (value) => {
      const { requests } = current();
      const monthly = rotation();
      await monthly.up({});
      Object.assign(monthly.state?.outputs ?? {}, { performedAt: value });
      at(5);
      expect(await requests(() => monthly.up({ trimLater: true }))).toEqual(reads());
      expect(monthly.outputs().trimAt).toBe(time(29));
      expect(await monthly.up({ trimLater: true })).toBe("same");
    },
  );

  test("a replacement rotates and schedules again, and unknown triggers send nothing", async () => {
    const { requests } = current();
    const monthly = rotation();
    await monthly.up({ triggers: ["1"], trimLater: true });
    at(23);
    expect(await requests(() => monthly.replace({ triggers: ["1"], trimLater: true }))).toEqual([...reads(), rotate]);
    expect(monthly.outputs().trimAt).toBe(time(47));
    at(47);
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    expect(await requests(() => monthly.preview({ triggers: unknown, trimLater: unknown }))).toEqual([]);
    expect(await requests(() => monthly.preview({ triggers: ["1"], trimLater: true, connection: unknown }))).toEqual([]);
  });
});
