import { Hono } from 'hono';
import type { Env } from '../faults/call-faults.ts';
import type { Changes } from '../lib/changes.ts';
import { newId, newSecret } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import { filePayload } from '../payloads/file.ts';
import type { Channel, SharedFile, World } from './world.ts';

/** A file that a person adds in the composer. */
export type Upload = { name: string; mimeType: string; content: string | Buffer };

type FilesDeps = { world: World; changes: Changes; baseUrl: () => string };

/** Stores the files of the workspace. As in Slack, their content requires a token. */
export class Files {
  readonly #deps: FilesDeps;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /** Adds a file that a person is about to share. */
  add(channel: Channel, userId: string, { name, mimeType, content }: Upload): SharedFile {
    const bytes = Buffer.from(content);
    return this.#keep({
      teamId: channel.teamId,
      userId,
      name,
      title: name,
      mimeType,
      bytes: bytes.length,
      base64: bytes.toString('base64'),
    });
  }

  /** Carries out the first step of an app's upload. The file gets a ticket, but has no content yet. */
  reserve(teamId: string, userId: string, name: string, bytes: number): SharedFile {
    const mimeType = /\.(?:md|txt|log|patch)$/.test(name)
      ? 'text/plain'
      : 'application/octet-stream';
    return this.#keep({ teamId, userId, name, title: name, mimeType, bytes, ticket: newSecret() });
  }

  byTicket(ticket: string): SharedFile | undefined {
    return this.#deps.world.files.find((file) => file.ticket === ticket);
  }

  find(id: string, teamId: string): SharedFile | undefined {
    return this.#deps.world.files.find((file) => file.id === id && file.teamId === teamId);
  }

  share(file: SharedFile, share: SharedFile['shares'][number]): void {
    file.shares.push(share);
    this.#deps.changes.emit({ type: 'message', channelId: share.channelId, ts: share.ts });
  }

  /** Deletes a file. Messages with the file show a placeholder instead. */
  remove(file: SharedFile): void {
    file.isDeleted = true;
    for (const { files } of Object.values(this.#deps.world.messages).flat())
      files?.forEach((each, index) => {
        if (each['id'] === file.id) files[index] = { id: file.id, mode: 'tombstone' };
      });
  }

  /** Returns the file in Slack's format. */
  payload(file: SharedFile): JsonObject {
    return filePayload(file, this.#deps.baseUrl());
  }

  uploadUrl({ ticket }: SharedFile): string {
    return `${this.#deps.baseUrl()}/upload/v1/${ticket}`;
  }

  #keep(file: Omit<SharedFile, 'id' | 'createdSeconds' | 'shares' | 'isDeleted'>): SharedFile {
    const createdSeconds = Math.floor(Date.now() / 1000);
    const kept = { id: newId('F'), createdSeconds, shares: [], isDeleted: false, ...file };
    this.#deps.world.files.push(kept);
    return kept;
  }
}

/** Serves the content of files. Without a token that may read them, Slack redirects to its login page. */
export function createFileRoutes({ world, files }: { world: World; files: Files }): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/files-pri/:id/*', (context) => {
    const token = /^Bearer\s+(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    const [teamId = '', id = ''] = context.req.param('id').split('-');
    const installation = world.installations.findLast(
      (each) => each.botToken === token && each.teamId === teamId,
    );
    const canRead = installation?.status === 'active' && installation.scopes.includes('files:read');
    if (!canRead) return context.redirect('https://slack.com/signin', 302);
    const file = files.find(id, teamId);
    if (!file || file.isDeleted || file.base64 === undefined) return context.text('', 404);
    return context.body(Buffer.from(file.base64, 'base64'), 200, { 'content-type': file.mimeType });
  });

  /** Carries out the second step of an upload. Rejects content whose size differs from the first step's. */
  routes.post('/upload/v1/:ticket', async (context) => {
    const file = files.byTicket(context.req.param('ticket'));
    if (!file) return context.text('unknown ticket', 404);
    const content = Buffer.from(await context.req.arrayBuffer());
    if (content.length !== file.bytes) return context.text('wrong size', 400);
    file.base64 = content.toString('base64');
    return context.text(`OK - ${content.length}`);
  });
  return routes;
}
