/** An action of a person. `details` never has a prompt, an answer or a key. */
export type AuditEntry = {
  id: string;
  /** Place in the log. Grows with every entry. */
  position: number;
  teamId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  action: string;
  /** A Slack user ID, or `system`. */
  actorId: string;
  entity: { type: string; id: string };
  channelId: string | null;
  details: Readonly<Record<string, string | number | boolean>>;
};

export type NewAuditEntry = Pick<AuditEntry, 'teamId' | 'action' | 'actorId' | 'entity'> &
  Partial<Pick<AuditEntry, 'id' | 'channelId' | 'details'>>;
