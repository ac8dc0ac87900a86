import { setImmediate } from "node:timers/promises";
import fc from "fast-check";

/** Chooses the next of all waiting tasks: fast-check draws it once no task can continue alone. */
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
