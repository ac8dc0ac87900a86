import { randomBytes } from "node:crypto";
import { split } from "shamir-secret-sharing";
import { prove } from "../../../../provider/secrets/rekey/proof";
import { Share, shareOf } from "../../../../provider/secrets/rekey/share";

const sharesOf = async (count: number, threshold: number): Promise<Share[]> =>
  (await split(new Uint8Array(randomBytes(32)), count, threshold)).map((part, index) =>
    shareOf(Buffer.from(part).toString("base64"), `share ${index}`),
  );
const broken = (share: Share): Share => {
  const bytes = Buffer.from(share.bytes);
  bytes[0] = (bytes[0] as number) ^ 1;
  return shareOf(bytes.toString("base64"), share.label);
};

test.each([
  [2, 2],
  [3, 2],
  [7, 4],
  [20, 11],
])("%i shares, threshold %i, belong together", async (count, threshold) => {
  expect(await prove(await sharesOf(count, threshold), threshold)).toEqual({ proven: true });
});

test.each([0, 1, 5, 6])("of seven shares, threshold four, the one that does not fit is named: %i", async (index) => {
  const shares = await sharesOf(7, 4);
  shares[index] = broken(shares[index] as Share);
  const verdict = await prove(shares, 4);
  expect(verdict).toMatchObject({ proven: false, reason: "the shares do not belong together" });
  expect("misfits" in verdict && verdict.misfits.map(({ label }) => label)).toEqual([`share ${index}`]);
});

test("with one share more than the threshold it can be seen that something is wrong, not what", async () => {
  const [a, b, c] = (await sharesOf(3, 2)) as [Share, Share, Share];
  expect(await prove([a, broken(b), c], 2)).toMatchObject({ proven: false, misfits: [] });
});

test("a share of another set does not fit", async () => {
  const [mine, other] = [await sharesOf(5, 3), await sharesOf(5, 3)];
  const points = new Set(mine.slice(0, 4).map(({ bytes }) => bytes.at(-1)));
  const stranger = other.find(({ bytes }) => !points.has(bytes.at(-1))) as Share;
  expect(await prove([...mine.slice(0, 4), stranger], 3)).toMatchObject({ proven: false });
});

test("what needs no combining is compared: one share, a threshold of one, lengths, repetitions", async () => {
  const key = shareOf(randomBytes(32).toString("base64"), "key");
  expect(await prove([key], 1)).toEqual({ proven: true });
  expect(await prove([key, key], 1)).toEqual({ proven: true });
  expect(await prove([key, broken(key)], 1)).toMatchObject({ proven: false, reason: "the shares are not the same key" });
  const [a, b] = (await sharesOf(3, 2)) as [Share, Share, Share];
  expect(await prove([a, b, a], 2)).toMatchObject({ proven: false, reason: "a share is there twice" });
  expect(await prove([a, shareOf("00ff", "short")], 2)).toMatchObject({ proven: false, reason: "the shares are not of one length" });
  expect(await prove([], 2)).toMatchObject({ proven: false });
});

test("shares in another form cannot be proven here", async () => {
  const foreign = [1, 2, 3].map((value) =>
    shareOf(Buffer.concat([Buffer.alloc(32, value), Buffer.from([9])]).toString("base64"), `share ${value}`),
  );
  expect(await prove(foreign, 2)).toMatchObject({ proven: "unknown" });
});
