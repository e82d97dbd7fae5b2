/** The workspace's own connection: the base URL and key of the configuration. */
export const workspaceConnection = 'workspace';
