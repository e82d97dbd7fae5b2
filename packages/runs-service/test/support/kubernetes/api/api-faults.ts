/** Fault between the client and the API. Each is used once, for the first matching request. */
export type ApiFault = {
  method: string;
  /** Part of the request's path and query. */
  at: string;
  how:
    | { status: number; retryAfter?: number }
    /** The request has its effect, but its response is lost. */
    | 'lost reply'
    /** The connection ends before the request is read. */
    | 'rejected'
    /** The connection stays open without a response. */
    | 'hangs';
};

export function createApiFaults() {
  const planned: ApiFault[] = [];
  let random: ((method: string) => ApiFault['how'] | undefined) | undefined;
  return {
    add: (...faults: ApiFault[]) => planned.push(...faults),
    /** Sets a function that decides about requests without a planned fault. */
    atRandom(choose: typeof random): void {
      random = choose;
    },
    take(method: string, url: string): ApiFault['how'] | undefined {
      const index = planned.findIndex((each) => each.method === method && url.includes(each.at));
      if (index < 0) return random?.(method);
      return planned.splice(index, 1)[0]?.how;
    },
    left: () => planned.length,
  };
}
