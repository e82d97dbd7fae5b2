import type { IncomingMessage, ServerResponse } from 'node:http';

export type OpenRequests = ReturnType<typeof createOpenRequests>;

/** Tracks the requests that aren't answered yet, of which at most `max` are open. All their bodies fit into memory. */
export function createOpenRequests(max: number) {
  const open = new Map<IncomingMessage, ServerResponse>();
  return {
    /**
     * Adds a request. If too many are open, closes the oldest one that is still being sent, because a real sender needs
     * only milliseconds. Returns false if all open requests are complete. The caller must then reject the new one.
     */
    admit(request: IncomingMessage, response: ServerResponse): boolean {
      if (open.size >= max) {
        const slowest = [...open.keys()].find((each) => !each.complete);
        if (!slowest) return false;
        open.delete(slowest);
        slowest.destroy();
      }
      open.set(request, response);
      response.once('close', () => open.delete(request));
      return true;
    },

    all: (): [IncomingMessage, ServerResponse][] => [...open],
  };
}
