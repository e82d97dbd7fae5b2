/**
 * Returns true for the ID of a workspace, which begins with T. IDs of organizations begin with E, and Slack sends both
 * in the same fields.
 */
export const isWorkspaceId = (id: unknown): id is string =>
  typeof id === 'string' && /^T[A-Z0-9]+$/.test(id);
