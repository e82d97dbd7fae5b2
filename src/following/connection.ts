/** The workspace's own connection: the base URL and API key of the configuration. */
export const workspaceConnection = 'workspace';
