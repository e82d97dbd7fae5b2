import type { LocalWorkspace } from 'slack-stand-in';
import { watched } from '../../../packages/base/test/support/watched.ts';

/** Makes `until` report long waits for changes of the workspace. */
export function watchedWorkspace(workspace: LocalWorkspace): LocalWorkspace {
  const { until } = workspace;
  return Object.assign(workspace, {
    until: <T>(condition: () => T | undefined | null | false, wait?: { timeoutMs?: number }) =>
      until(watched(condition), wait),
  });
}
