/**
 * Folders and files with comments that docs/language.md doesn't allow yet. Remove your line once its comments are clean;
 * the test in `language.test.ts` lists the rest.
 */
export const foldersToClean: readonly string[] = [
  'packages/runs-service/src/api/',
  'packages/runs-service/src/pages/',
  'packages/runs-service/src/queue/',
  'packages/runs-service/src/remote/',
  'packages/runs-service/src/service-core.ts',
  'src/bin/',
  'src/bot/',
  'src/inbox/',
  'src/slack/agent-command/',
  'src/slack/agent-pane/',
  'src/slack/connection/',
  'src/slack/mention/',
  'src/slack/presets/',
  'src/store/',
];
