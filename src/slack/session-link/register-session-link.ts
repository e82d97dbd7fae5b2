import type { BlockAction } from '@slack/bolt';
import { RunsApiError } from 'runs-client/runs-api-error';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';
import type { Audit } from '../../store/audit/audit.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Connect } from '../configuration/connect.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import type { SendPrivately } from '../posting/post-privately.ts';
import { onClick } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { revokeLinkAction } from '../runs/showing/buttons/run-buttons.ts';
import { boldTitle } from '../runs/showing/run-label.ts';
import { failureSentence } from '../text/failure.ts';

type Deps = {
  requests: Requests;
  connect: Connect;
  access: RunAccess;
  audit: Audit;
  inbox: Inbox;
  sendPrivately: SendPrivately;
  wake(): void;
};

/** Request whose link is revoked, and the channel to answer in. */
const revocationSchema = z.object({
  requestId: z.string(),
  userId: z.string(),
  channelId: z.string().optional(),
});
type Revocation = z.infer<typeof revocationSchema>;

/** Creates the audit entry. Its ID is the same for a repeated delivery, so it's stored once. */
const entryOf = ({ id, teamId, channelId }: RunRequest, { trigger_id, user }: BlockAction) => ({
  id: `revoke-link ${trigger_id}`,
  teamId,
  actorId: user.id,
  channelId,
  action: 'session_link_revoke_requested',
  entity: { type: 'run', id },
});

const callTimeoutMs = 10_000;

/** Registers *Revoke session link* in the details of a run, for people who can cancel it. */
export function registerSessionLink(
  app: Listeners,
  { requests, connect, access, audit, inbox, sendPrivately, wake }: Deps,
): void {
  const revocations = inbox.register('revoke-link', {
    schema: revocationSchema,
    async handle(revocation, signal) {
      const request = await requests.find(revocation.requestId);
      if (request?.run)
        await answer(revocation, request, await revoke(request, request.run.run_id, signal));
      return 'done';
    },
    async giveUp(revocation) {
      const request = await requests.find(revocation.requestId);
      if (request) await answer(revocation, request, notRevoked);
    },
  });

  onClick(app, revokeLinkAction, async (click) => {
    const { body, viewer, value } = click;
    const found = await access.command(viewer, value);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const { id: requestId } = found.request;
    const channelId = body.channel?.id;
    const revocation = { requestId, userId: body.user.id, ...(channelId && { channelId }) };
    await revocations.add(body.trigger_id, revocation);
    await audit.note(entryOf(found.request, body));
    await answerPrivately(click, { text: revoking });
  });

  /**
   * Revokes the link. Repeating is safe, because it would only replace the new link.
   * @throws temporary failures, so that the inbox retries
   */
  async function revoke(
    { id, connectionId }: RunRequest,
    runId: string,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      const options = { signal, timeoutMs: callTimeoutMs, maxRetries: 0 };
      const { runs } = await connect(connectionId);
      const run = await runs.revokeSessionLink(runId, options);
      // Update the message of an active run, which shows the new link.
      if (await requests.replaceSessionLink(id, run)) wake();
      return revoked;
    } catch (error) {
      const isFinal =
        error instanceof RunsApiError && error.status !== undefined && !error.retryable;
      if (!isFinal) throw error;
      const isOffered = error.status !== 404 && error.status !== 405;
      return isOffered ? failureSentence(error.code, connectionId) : notOffered;
    }
  }

  async function answer(
    { userId: user, channelId: channel, requestId }: Revocation,
    { title }: RunRequest,
    sentence: string,
  ) {
    const text = `${boldTitle(title)}: ${sentence}`;
    await sendPrivately({ user, channel, text }, { requestId });
  }
}

const revoking = 'Revoking the session link. You get a message when the link no longer works.';
const revoked = 'The old session link no longer works. The run message gets a new one.';
const notRevoked = "The session link couldn't be revoked and still works. Try again.";
const notOffered = "This runs service can't revoke session links.";
