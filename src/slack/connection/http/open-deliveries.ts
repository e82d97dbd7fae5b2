import type { IncomingMessage, ServerResponse } from 'node:http';

/** Slack has far fewer open, and the bodies of all of them must fit into memory. */
const mostOpen = 100;

/** Tracks the deliveries that aren't answered yet, and keeps their number within a limit. */
export function limitOpenDeliveries() {
  const open = new Set<IncomingMessage>();

  return {
    /**
     * Answers false if there are too many: then nothing may be read of it. If others are still being sent, the slowest is
     * cut off instead: Slack sends a delivery within milliseconds.
     */
    admit(request: IncomingMessage, response: ServerResponse): boolean {
      if (open.size >= mostOpen) {
        const slowest = [...open].find((each) => !each.complete);
        if (!slowest) return false;
        open.delete(slowest);
        slowest.destroy();
      }
      open.add(request);
      response.once('close', () => open.delete(request));
      return true;
    },
  };
}
