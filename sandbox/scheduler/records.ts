/** Everything the scheduler remembers. Each noun adds its collection here. */
export class Records {
  constructor(readonly token: string) {}

  /** Back to the seed. */
  reset(): void {}
}
