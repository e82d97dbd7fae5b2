import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../packages/runs-service/src/', import.meta.url));

/** Texts of the runs service's files, by path without the ending. */
const texts = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name.replace(/\.ts$/, ''), readFileSync(folder + name, 'utf8')]),
);

const having = (pattern: RegExp) =>
  [...texts].flatMap(([name, text]) => (pattern.test(text) ? [name] : [])).toSorted();

/** Files that can import `node:fs`, and the files that they open. Agents have written none of these. */
const openers: Record<string, string> = {
  'artifacts/content-store': 'sealed files',
  'artifacts/content-writer': 'sealed files',
  'artifacts/remove-runs': 'transcripts',
  'artifacts/s3-store': 'sealed files',
  'artifacts/save-artifacts': 'saved patches',
  'execution/files/own-files': 'nothing: it looks for files of the operator that the sandbox hides',
  'execution/files/prune-folder': 'folders of the service',
  'execution/files/run-folder': 'the folder itself, and its content before the first command',
  'execution/git/checkout': "a run's folder before its first command, and spare checkouts",
  'execution/git/earlier-changes': 'saved patches',
  'execution/git/mirrors': 'copies of repositories',
  'execution/git/save-changes': 'saved patches, and those that are being saved',
  'execution/memory/conversation-memory': 'sealed files',
  'execution/memory/agent-home-archive': 'sealed files',
  'execution/memory/sealed-file': 'sealed files',
  'execution/output/output-recorder': 'transcripts',
  'execution/run-input': 'files with secrets of the operator',
  'execution/setup/setup-cache': 'names of saved setups',
  'execution/folder-pool': 'names of spare folders',
  'harnesses/agent-command': 'programs of the operator',
  'sandbox/bubblewrap': 'files of the kernel',
  'sandbox/command-limits': 'groups of the kernel',
  'sandbox/deletion/remove-folder': 'names of folders, which it removes without opening them',
  'sandbox/deletion/trash': 'names of discarded folders',
  'sandbox/network/forward-proxy': 'its socket',
  'sandbox/check-sandbox': 'programs of the operator',
  'sandbox/run-processes': 'files of the kernel',
  'sandbox/sandboxes': 'empty folders for probes and for reading settings',
  'sandbox/shown-paths': 'programs of the operator',
};

describe("a run's folder", () => {
  it('is opened in the sandbox only: few files open anything, each with its reason', () => {
    const rooms = /^(execution|harnesses|sandbox|artifacts)\//;
    const found = having(/from 'node:fs(\/promises)?'/).filter((name) => rooms.test(name));
    expect(found).toEqual(Object.keys(openers).toSorted());
  });

  it("has a path on this machine that only git's first checkout gets", () => {
    expect(having(/\bhostOf\(/)).toEqual(['execution/files/run-folder', 'execution/git/checkout']);
  });
});
