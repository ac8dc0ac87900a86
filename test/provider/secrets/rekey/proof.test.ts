import { randomBytes } from "node:crypto";
import { split } from "shamir-secret-sharing";
import { prove, Share, shareOf } from "../../../../provider/secrets/rekey/crypto";

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
])("accepts %i shares with threshold %i", async (count, threshold) => {
  expect(await prove(await sharesOf(count, threshold), threshold)).toEqual({ proven: true });
});

test.each([0, 1, 5, 6])("names the mismatched share among seven with threshold four: %i", async (index) => {
  const shares = await sharesOf(7, 4);
  shares[index] = broken(shares[index] as Share);
  const verdict = await prove(shares, 4);
  expect(verdict).toMatchObject({ proven: false, reason: "the shares do not match" });
  expect("misfits" in verdict && verdict.misfits.map(({ label }) => label)).toEqual([`share ${index}`]);
});

// The secret is split by hand: what the library computes is slow inside jest.
function manyShares(count: number, threshold: number): Share[] {
  const times = (a: number, b: number): number => {
    let product = 0;
    for (let [left, right] = [a, b]; right > 0; right >>= 1, left = (left << 1) ^ (left & 0x80 ? 0x11b : 0)) if (right & 1) product ^= left;
    return product;
  };
  const coefficients = [...Array(33).keys()].map(() => [...randomBytes(threshold)]);
  return [...Array(count).keys()].map((index) => {
    const values = coefficients.map((each) => each.reduce((value, coefficient) => times(value, index + 1) ^ coefficient, 0));
    return shareOf(Buffer.from([...values, index + 1]).toString("base64"), `share ${index}`);
  });
}

// Each took minutes when the shares were combined anew for each of them. The bound is generous: a busy machine is no failure.
test.each([
  [128, 0],
  [128, 127],
  [200, 199],
  [253, 100],
])("names the mismatched share among 255 with threshold %i in seconds: %i", async (threshold, index) => {
  const shares = manyShares(255, threshold);
  const start = Date.now();
  expect(await prove(shares, threshold)).toEqual({ proven: true });
  shares[index] = broken(shares[index] as Share);
  const verdict = await prove(shares, threshold);
  expect("misfits" in verdict && verdict.misfits.map(({ label }) => label)).toEqual([`share ${index}`]);
  expect(Date.now() - start).toBeLessThan(60_000);
});

test("reports that no share can be named if every third of 255 is wrong", async () => {
  const shares = manyShares(255, 128).map((share, index) => (index % 3 === 0 ? broken(share) : share));
  const start = Date.now();
  expect(await prove(shares, 128)).toMatchObject({
    proven: false,
    misfits: [],
    reason: "the shares do not match, and the wrong ones cannot be identified",
  });
  expect(Date.now() - start).toBeLessThan(60_000);
});

test("names as many wrong shares as the redundancy allows", async () => {
  const shares = await sharesOf(9, 4);
  for (const index of [2, 3]) shares[index] = broken(shares[index] as Share);
  const verdict = await prove(shares, 4);
  expect("misfits" in verdict && verdict.misfits.map(({ label }) => label).sort()).toEqual(["share 2", "share 3"]);
});

test("reports a mismatch without a name if there is only one share beyond the threshold", async () => {
  const [a, b, c] = (await sharesOf(3, 2)) as [Share, Share, Share];
  expect(await prove([a, broken(b), c], 2)).toMatchObject({
    proven: false,
    reason: "the shares do not match, and the wrong ones cannot be identified",
    misfits: [],
  });
});

test("rejects a share of another set", async () => {
  const [mine, other] = [await sharesOf(5, 3), await sharesOf(5, 3)];
  const points = new Set(mine.slice(0, 4).map(({ bytes }) => bytes.at(-1)));
  const stranger = other.find(({ bytes }) => !points.has(bytes.at(-1))) as Share;
  expect(await prove([...mine.slice(0, 4), stranger], 3)).toMatchObject({ proven: false });
});

test("compares without combining: one share, a threshold of one, lengths and duplicates", async () => {
  const key = shareOf(randomBytes(32).toString("base64"), "key");
  expect(await prove([key], 1)).toEqual({ proven: true });
  expect(await prove([key, key], 1)).toEqual({ proven: true });
  expect(await prove([key, broken(key)], 1)).toMatchObject({ proven: false, reason: "the shares are different keys" });
  const pointed = (value: string, point: number): Share =>
    shareOf(Buffer.concat([Buffer.from(value), Buffer.from([point])]).toString("base64"), `share ${point}`);
  expect(await prove([pointed("the key", 1), pointed("the key", 2)], 1)).toEqual({ proven: true });
  expect(await prove([pointed("the key", 1), pointed("the kez", 2)], 1)).toMatchObject({ proven: false });
  expect(await prove([pointed("the key", 1), pointed("the key", 1), pointed("the key", 2)], 1)).toMatchObject({ proven: false });
  const [a, b] = (await sharesOf(3, 2)) as [Share, Share, Share];
  expect(await prove([a, b, a], 2)).toMatchObject({ proven: false, reason: "a share is duplicated" });
  expect(await prove([a, shareOf("00ff", "short")], 2)).toMatchObject({ proven: false, reason: "the shares differ in length" });
  expect(await prove([], 2)).toMatchObject({ proven: false });
});

test("cannot prove shares in another format", async () => {
  const foreign = [1, 2, 3].map((value) =>
    shareOf(Buffer.concat([Buffer.alloc(32, value), Buffer.from([9])]).toString("base64"), `share ${value}`),
  );
  expect(await prove(foreign, 2)).toMatchObject({ proven: "unknown" });
});
