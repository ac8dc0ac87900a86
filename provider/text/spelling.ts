/** The Damerau-Levenshtein distance of two names: the number of letters to add, remove, replace or swap with the next. */
export function distance(a: string, b: string): number {
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

/** The valid name that an invalid one probably means: misspelled, or in the spelling of another API. Undefined if none is close. */
export function closest(name: string, valid: readonly string[]): string | undefined {
  const plain = (each: string): string => each.toLowerCase().replace(/[^a-z0-9]/g, "");
  const isNear = (each: string, edits: number): boolean => edits <= Math.min(each.length / 3, Math.max(2, each.length / 4));
  return valid
    .map((each) => ({ each, edits: distance(plain(name.slice(0, 60)), plain(each)) }))
    .sort((a, b) => a.edits - b.edits)
    .find(({ each, edits }) => isNear(each, edits))?.each;
}
