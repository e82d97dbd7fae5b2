/** An action of a person in the audit log. `details` never contains a prompt, an answer or a key. */
export type AuditEntry = {
  id: string;
  /** Position in the log, which grows with every entry. */
  position: number;
  teamId: string;
  /** Time of the action in epoch ms. */
  createdAt: number;
  action: string;
  /** Slack user ID of the person, or `system`. */
  actorId: string;
  entity: { type: string; id: string };
  channelId: string | null;
  details: Readonly<Record<string, string | number | boolean>>;
};

export type NewAuditEntry = Pick<AuditEntry, 'teamId' | 'action' | 'actorId' | 'entity'> &
  Partial<Pick<AuditEntry, 'id' | 'channelId' | 'details'>>;
