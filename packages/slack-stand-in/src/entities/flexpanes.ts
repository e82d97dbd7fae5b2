import type { Changes } from '../lib/changes.ts';
import type { Entity, EntityButton, EntityError } from './entity-schema.ts';

/** Entity that a person opened, and the message below which its card is shown. */
export type OpenedEntity = {
  channelId: string;
  messageTs: string;
  threadTs?: string | undefined;
  url: string;
  unfurlUrl: string;
  externalRef: Entity['external_ref'];
};

type Shown = { details: Entity } | { error: EntityError };

export type Flexpane = OpenedEntity & { teamId: string; shown?: Shown };

/**
 * Stores the open panes that show an entity's details. Each person has at most one. Panes aren't saved across starts.
 */
export class Flexpanes {
  readonly #changes: Changes;
  readonly #open = new Map<string, Flexpane>();

  constructor({ changes }: { changes: Changes }) {
    this.#changes = changes;
  }

  of(userId: string): Flexpane | undefined {
    return this.#open.get(userId);
  }

  /** Opens a pane. The pane has no content until the app presents the details. */
  open(userId: string, flexpane: Flexpane): void {
    this.#open.set(userId, flexpane);
    this.#changes.emit({ type: 'flexpane', userId });
  }

  close(userId: string): void {
    this.#open.delete(userId);
    this.#changes.emit({ type: 'flexpane', userId });
  }

  /** Shows the app's details in a pane, unless the person has closed the pane or opened another entity. */
  present(userId: string, externalId: string, shown: Shown): void {
    const flexpane = this.#open.get(userId);
    if (flexpane?.externalRef.id !== externalId) return;
    flexpane.shown = shown;
    this.#changes.emit({ type: 'flexpane', userId });
  }
}

export function buttonsOf({ shown }: Flexpane): EntityButton[] {
  if (!shown) return [];
  if ('error' in shown) return shown.error.actions ?? [];
  const { primary_actions: first = [], overflow_actions: more = [] } =
    shown.details.entity_payload.actions ?? {};
  return [...first, ...more];
}
