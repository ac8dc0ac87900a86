import { setImmediate } from "node:timers/promises";
import fc from "fast-check";

/** Decides who goes on, among all that wait: drawn by fast-check, once nothing moves any more by itself. */
export class Order {
  constructor(private readonly scheduler: fc.Scheduler) {}

  turn = (): Promise<void> => this.scheduler.schedule(Promise.resolve());

  async drive<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    while (!isOver) {
      await setImmediate();
      if (this.scheduler.count() > 0) await this.scheduler.waitOne();
    }
    return work;
  }
}
