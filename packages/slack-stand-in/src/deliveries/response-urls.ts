import { z } from 'zod';
import { newSecret } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import { ApiError } from '../web-api/api-error.ts';
import { findInstallation, findMessage } from '../world/directory.ts';
import { readContent } from '../world/message-content.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { World } from '../world/world.ts';
import type { Traffic } from './traffic.ts';

type Place = {
  teamId: string;
  channelId: string;
  userId: string;
  /** Message time (`ts`) of the message with the clicked element, if any. */
  messageTs?: string | undefined;
  /** True if the response URL came with a slash command. */
  isCommand?: boolean;
};

type Entry = Place & { usesLeft: number; atMs: number };

const bodySchema = z.looseObject({
  text: z.string().optional(),
  blocks: z.array(z.record(z.string(), z.unknown())).optional(),
  attachments: z.array(z.record(z.string(), z.unknown())).optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: z.union([z.boolean(), z.stringbool()]).optional(),
  delete_original: z.union([z.boolean(), z.stringbool()]).optional(),
  thread_ts: z.string().optional(),
});

const uses = 5;
const validMs = 30 * 60_000;

type ResponseUrlsDeps = {
  world: World;
  log: MessageLog;
  traffic: Traffic;
  baseUrl: () => string;
};

/** Creates response URLs, to which apps post answers to interactions. Each works for five posts within 30 minutes. */
export class ResponseUrls {
  readonly #deps: ResponseUrlsDeps;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: ResponseUrlsDeps) {
    this.#deps = deps;
  }

  create(kind: 'commands' | 'actions' | 'app', place: Place): string {
    const secret = newSecret();
    this.#entries.set(secret, { ...place, usesLeft: uses, atMs: Date.now() });
    return `${this.#deps.baseUrl()}/response/${kind}/${place.teamId}/${secret}`;
  }

  /** Handles a POST to a response URL. */
  use(secret: string, body: unknown): { status: 200 | 404 | 400; text: string } {
    const startedMs = Date.now();
    const answer = this.#use(secret, body);
    const entry = { direction: 'response' as const, name: 'response_url', request: body, answer };
    this.#deps.traffic.note(entry, startedMs);
    return answer;
  }

  #use(secret: string, body: unknown): { status: 200 | 404 | 400; text: string } {
    const entry = this.#entries.get(secret);
    if (!entry) return problem(404, 'invalid_url');
    if (Date.now() - entry.atMs > validMs) return problem(404, 'expired_url');
    if (entry.usesLeft === 0) return problem(404, 'used_url');
    try {
      this.respond(entry, body);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return problem(400, error.code, error.details);
    }
    entry.usesLeft -= 1;
    return { status: 200, text: 'ok' };
  }

  /** Carries out the app's answer, which came to a response URL or in the acknowledgment of a command. */
  respond(place: Place, body: unknown): void {
    const { world, log } = this.#deps;
    const parsed = bodySchema.safeParse(typeof body === 'string' ? { text: body } : body);
    if (!parsed.success) throw new ApiError('invalid_payload');
    const { text, blocks, attachments, ...answer } = parsed.data;
    const original = place.messageTs && findMessage(world, place.channelId, place.messageTs);
    if (answer.delete_original) {
      if (original) void log.remove(original);
      return;
    }
    const content = readContent({ text, blocks, attachments }, 'response_url');
    const isReplacing = answer.replace_original ?? (original && answer.response_type === undefined);
    if (isReplacing && original) {
      void log.update(original, { blocks: undefined, attachments: undefined, ...content });
      return;
    }
    const installation = findInstallation(world, place.teamId);
    if (!installation) throw new ApiError('account_inactive');
    log.post({
      channelId: place.channelId,
      userId: installation.botUserId,
      botId: installation.botId,
      appId: world.app.id,
      ...content,
      ...(answer.thread_ts && { threadTs: answer.thread_ts }),
      ...(answer.response_type !== 'in_channel' && {
        visibleTo: place.userId,
        ...(place.isCommand && { isAtCommand: true }),
      }),
    });
  }
}

function problem(status: 404 | 400, error: string, details: JsonObject = {}) {
  return { status, text: JSON.stringify({ ok: false, error, ...details }) };
}
