import type { Changes } from '../lib/changes.ts';
import { newId, newSecret } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import { filePayload } from '../payloads/file.ts';
import type { Channel, SharedFile, World } from './world.ts';

/** What a person drops into the composer. */
export type Upload = { name: string; mimeType: string; content: string | Buffer };

type Parts = { world: World; changes: Changes; baseUrl: () => string };

/** The files of the workspace. Their content is behind a token, as in Slack. */
export class Files {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A file that a person is about to share. */
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

  /** The first step of an app's upload: the file has a ticket, but no content yet. */
  reserve(teamId: string, userId: string, name: string, bytes: number): SharedFile {
    const mimeType = /\.(?:md|txt|log|patch)$/.test(name)
      ? 'text/plain'
      : 'application/octet-stream';
    return this.#keep({ teamId, userId, name, title: name, mimeType, bytes, ticket: newSecret() });
  }

  byTicket(ticket: string): SharedFile | undefined {
    return this.#parts.world.files.find((file) => file.ticket === ticket);
  }

  find(id: string, teamId: string): SharedFile | undefined {
    return this.#parts.world.files.find((file) => file.id === id && file.teamId === teamId);
  }

  share(file: SharedFile, share: SharedFile['shares'][number]): void {
    file.shares.push(share);
    this.#parts.changes.emit({ type: 'message', channelId: share.channelId, ts: share.ts });
  }

  /** Messages with it stay, without it. */
  remove(file: SharedFile): void {
    file.isDeleted = true;
    for (const { files } of Object.values(this.#parts.world.messages).flat())
      files?.forEach((each, index) => {
        if (each['id'] === file.id) files[index] = { id: file.id, mode: 'tombstone' };
      });
  }

  /** In Slack's format. */
  payload(file: SharedFile): JsonObject {
    return filePayload(file, this.#parts.baseUrl());
  }

  uploadUrl({ ticket }: SharedFile): string {
    return `${this.#parts.baseUrl()}/upload/v1/${ticket}`;
  }

  #keep(file: Omit<SharedFile, 'id' | 'createdSeconds' | 'shares' | 'isDeleted'>): SharedFile {
    const createdSeconds = Math.floor(Date.now() / 1000);
    const kept = { id: newId('F'), createdSeconds, shares: [], isDeleted: false, ...file };
    this.#parts.world.files.push(kept);
    return kept;
  }
}
