import type { BlockAction, ButtonAction } from '@slack/bolt';
import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately, unknownRun } from '../posting/answer-privately.ts';
import { revokeLinkAction } from '../runs/run-buttons.ts';
import { failureSentence } from '../text/failure.ts';

type SessionLinkParts = {
  requests: Pick<Requests, 'find' | 'replaceSessionLink'>;
  runs: Pick<RunsClient['runs'], 'revokeSessionLink'>;
  rights: Pick<Rights, 'refuseCancel'>;
  wake(): void;
};

/** Someone clicked and is waiting. */
const callOptions = { timeoutMs: 2_000, maxRetries: 0 } as const;

/** *Revoke session link* in the details of a run, for those who may cancel it. */
export function registerSessionLink(app: Listeners, parts: SessionLinkParts): void {
  const filter = { type: 'block_actions', action_id: revokeLinkAction } as const;
  app.action<BlockAction<ButtonAction>>(filter, async ({ ack, action, body, client, respond }) => {
    await ack();
    const request = await parts.requests.find(action.value ?? '');
    const text = request ? await revoke(request, body.user.id) : unknownRun;
    await answerPrivately({ body, client, respond }, { text });
  });

  async function revoke(request: RunRequest, userId: string): Promise<string> {
    const refusal = await parts.rights.refuseCancel(request, userId);
    if (refusal) return refusal;
    if (!request.run) return unknownRun;
    try {
      const run = await parts.runs.revokeSessionLink(request.run.run_id, callOptions);
      // The message of an active run gets the new link with the next update.
      if (await parts.requests.replaceSessionLink(request.id, run)) parts.wake();
      return revoked;
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      const isOffered = error.status !== 404 && error.status !== 405;
      return isOffered ? failureSentence(error.code) : notOffered;
    }
  }
}

const revoked = 'The old session link no longer works. The run message gets a new one.';
const notOffered = "This runs service can't revoke session links.";
