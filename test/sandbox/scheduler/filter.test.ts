import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

const unreadable = "failed to create result paginator: failed to read filter expression: ";
const unfit = "failed to read result page: ";

describe.each(["standard", "hashicorp"] as const)("the scheduler's filters, %s", (dialect) => {
  const sandbox = freshSandbox({ dialect });
  const ask = (noun: string, filter: string) => call(sandbox().scheduler, "GET", `/v1/${noun}?filter=${encodeURIComponent(filter)}`);

  test.each([
    ['ID == "web"', ["web"]],
    ['"/ID" == `web`', ["web"]],
    ["ID != web", ["api", "backup"]],
    ['Meta.team == "back"', ["api"]],
    ['Meta["team"] != "back"', ["backup", "web"]],
    ['Meta["no such key"] is empty', ["api", "backup", "web"]],
    ['"team" in Meta', ["api", "web"]],
    ['Meta not contains "team"', ["backup"]],
    ['TaskGroups.0.Name matches "^(api|web)$"', ["api", "web"]],
    ['Name not matches "(?i)^W"', ["api", "backup"]],
    ['Name matches "^[[:lower:]]+$"', ["api", "backup", "web"]],
    ['Name matches "^[[:alpha:]_]{3}$"', ["api", "web"]],
    ['Name matches "(?i:WEB)"', ["web"]],
    ['TaskGroups.0.Count == "0x2"', ["api", "web"]],
    ["Update.Stagger == 30000000000", ["api", "web"]],
    ['Stop == "F" and not Type == "batch"', ["api", "web"]],
    ['ID == "api" or ID == "web" and Type == "batch"', ["api"]],
    ['(ID == "api" or ID == "web") and Type == "service"', ["api", "web"]],
    ['"*" in Datacenters', ["api", "backup", "web"]],
    ['any TaskGroups as group { group.Name == "backup" }', ["backup"]],
    ['Type == "none" and Nope == "x"', []],
  ])("%s", async (filter, names) => {
    const { status, json } = await ask("jobs", filter);
    expect([status, json?.map(({ ID }: { ID: string }) => ID)]).toEqual([200, names]);
  });

  // These are the messages of Nomad 1.11. test/real/scheduler-filter.test.ts compares with Nomad itself.
  test.each([
    ["ID", `${unreadable}1:3 (2): no match found, expected: "!=", ".", "==", "[", [ \\t\\r\\n] or [a-zA-Z0-9_/]`],
    [
      'ID == "web"x',
      `${unreadable}1:12 (11): no match found, expected: ${dialect === "standard" ? '"and", "or", ' : ""}[ \\t\\r\\n] or EOF`,
    ],
    ['(ID == "x"', `${unreadable}1:11 (10): rule "grouping": Unmatched parentheses`],
    ['ID == "a\\"b"', `${unreadable}1:7 (6): rule "string": invalid syntax`],
    ['ID == "x', `${unreadable}1:9 (8): rule "string": Unterminated string literal`],
    ["Priority == 1x", `${unreadable}1:14 (13): rule "number": Invalid number literal`],
    ['Nope == "x"', `${unfit}error finding value in datum: /Nope at part 0: couldn't find key: struct field with name "Nope"`],
    ['Priority == "x"', `${unfit}error getting match value in expression: strconv.ParseInt: parsing "x": invalid syntax`],
    ['Priority contains "5"', `${unfit}cannot perform in/contains operations on type int for selector: "Priority"`],
    ['Datacenters matches "x"', `${unfit}value of type []string is not convertible to []byte`],
    ['Datacenters == "x"', `${unfit}unable to find suitable primitive comparison function for matching`],
    ['ID matches "("', `${unfit}failed to compile regular expression "(": error parsing regexp: missing closing ): \`(\``],
    [
      'ID matches "(?=a)"',
      `${unfit}failed to compile regular expression "(?=a)": error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
    [
      "ID matches `a\\`",
      `${unfit}failed to compile regular expression "a\\\\": error parsing regexp: trailing backslash at end of expression: \`\``,
    ],
    ["Periodic.Enabled == true", `${unfit}error finding value in datum: /Periodic/Enabled: at part 1, invalid value kind: invalid`],
    ['Datacenters.5 == "x"', `${unfit}error finding value in datum: /Datacenters/5 at part 1: index 5 is out of range (length = 1)`],
  ])("%s is rejected", async (filter, text) => {
    expect(await ask("jobs", filter)).toMatchObject({ status: 400, text });
  });

  test("a node's address has another field name in the full record", async () => {
    expect((await ask("nodes", 'HTTPAddr matches "^10.0.0.1:"')).json).toMatchObject([{ Name: "client-1", Address: "10.0.0.1" }]);
    expect(await ask("nodes", 'Address == "10.0.0.1"')).toMatchObject({ status: 400, text: expect.stringContaining("couldn't find key") });
  });

  test.each([
    ["Stop is empty", "bool", "Stop"],
    ["Priority is not empty", "int", "Priority"],
    ["TaskGroups.0.Update.Canary is empty", "int", "TaskGroups.0.Update.Canary"],
    ["Update is empty", "struct", "Update"],
    ["Periodic is empty", "invalid", "Periodic"],
  ])("%s is rejected", async (filter, type, field) => {
    const text = `${unfit}cannot perform is-empty operations on type ${type} for selector: "${field}"`;
    expect(await ask("jobs", filter)).toMatchObject({ status: 400, text });
  });

  test(`a regular expression for null ${dialect === "standard" ? "is rejected" : "breaks the connection, and the next request works"}`, async () => {
    const filter = 'Periodic matches "x"';
    const text = `${unfit}cannot perform matches operations on type invalid for selector: "Periodic"`;
    if (dialect === "hashicorp") await expect(ask("jobs", filter)).rejects.toThrow("fetch failed");
    else expect(await ask("jobs", filter)).toMatchObject({ status: 400, text });
    expect((await ask("jobs", "Constraints is empty")).status).toBe(200);
  });

  test.each([
    ['not(ID == "web")', ["api", "backup"]],
    ['(ID == "web")and(Type == "service")', ["web"]],
    ['((ID=="web")or(Name=="api"))and not(Type=="batch")', ["api", "web"]],
    ["(TaskGroups.0.Count == 2)and(Priority == 50)", ["api", "web"]],
    ['"team"in Meta and Meta["team"]matches"^b"', ["api"]],
    ['Meta["team"]is not empty', ["api", "web"]],
    ["not (Name == `web`)", ["api", "backup"]],
  ])(`%s ${dialect === "standard" ? "needs no more spaces" : "is rejected without spaces"}`, async (filter, names) => {
    const { status, json } = await ask("jobs", filter);
    if (dialect === "standard") expect([status, json?.map(({ ID }: { ID: string }) => ID)]).toEqual([200, names]);
    else expect(status).toBe(filter.startsWith("not (") ? 200 : 400);
  });

  test.each(["notID == 1", 'ID == weband(Name == "x")', "Priority == 1and(Stop == false)", 'ID == "x" andStop == false'])(
    "%s is rejected, because two words without a space are one word",
    async (filter) => {
      expect((await ask("jobs", filter)).status).toBe(400);
    },
  );
});
