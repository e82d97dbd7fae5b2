/** A workspace's id begins with T. That of an organization begins with E, and Slack sends it in the same fields. */
export const isWorkspaceId = (id: unknown): id is string =>
  typeof id === 'string' && /^T[A-Z0-9]+$/.test(id);
