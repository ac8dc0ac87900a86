/** The Damerau-Levenshtein distance of two names. */
function distance(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const edits = [(last?.[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last?.[column - 1] ?? 0) + (isSame ? 0 : 1)];
      if (isSwapped) edits.push((before?.[column - 2] ?? 0) + 1);
      next.push(Math.min(...edits));
    }
    [before, last] = [last, next];
  }
  return last?.[b.length] ?? 0;
}

/** The closest known name, or undefined if none is close. */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  const near = candidates.map((each) => ({ each, edits: distance(name, each) })).sort((a, b) => a.edits - b.edits);
  return near.find(({ edits }) => edits <= Math.max(2, name.length / 4))?.each;
}
