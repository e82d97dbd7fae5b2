/** What goes wrong between us and the API. Each entry is used once, for the first request that fits. */
export type ApiFault = {
  method: string;
  /** Part of the path and query. */
  at: string;
  how:
    | { status: number; retryAfter?: number }
    /** The request works, but its answer never arrives. */
    | 'lost reply'
    /** The connection ends before the request is read. */
    | 'refused'
    /** Nothing comes, and the connection stays. */
    | 'hangs';
};

export function createApiFaults() {
  const planned: ApiFault[] = [];
  let random: ((method: string) => ApiFault['how'] | undefined) | undefined;
  return {
    add: (...faults: ApiFault[]) => planned.push(...faults),
    /** Decides for each request that no planned fault fits. */
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
