/** Whose key runs are started with, in mrkdwn: there is one connection, the workspace's. */
export function describeConnection(runsApiUrl: string): string {
  return `the workspace, with its own key for \`${new URL(runsApiUrl).host}\``;
}
