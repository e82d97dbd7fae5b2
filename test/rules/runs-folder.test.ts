import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../packages/runs-service/src/', import.meta.url));

/** Files of the runs service without their ending, and their text. */
const texts = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name.replace(/\.ts$/, ''), readFileSync(folder + name, 'utf8')]),
);

const having = (pattern: RegExp) =>
  [...texts].flatMap(([name, text]) => (pattern.test(text) ? [name] : [])).toSorted();

/** Files of some rooms that can import `node:fs`, each with what it opens: never something that an agent wrote. */
const openers: Record<string, string> = {
  'execution/files/own-files': 'nothing: it looks for files of the operator that the sandbox hides',
  'execution/files/run-folder': 'the folder itself, and what is in it before the first command',
  'execution/files/prune-folder': 'folders of the service',
  'execution/git/checkout': "a run's folder before its first command, and spare checkouts",
  'execution/git/earlier-changes': 'saved patches',
  'execution/git/mirrors': 'copies of repositories',
  'execution/git/pack-mirrors': 'copies of repositories',
  'execution/git/patch-writer': 'patches that are being saved',
  'execution/git/save-changes': 'saved patches',
  'execution/memory/conversation-memory': 'sealed files',
  'execution/memory/memory-pruning': 'sealed files',
  'execution/memory/pack-home': 'sealed files',
  'execution/memory/sealed-file': 'sealed files',
  'execution/output/output-recorder': 'transcripts',
  'execution/run-input': 'files with secrets of the operator',
  'execution/setup/setup-cache': 'names of saved setups',
  'execution/spares': 'names of spare folders',
  'harnesses/agent-command': 'programs of the operator',
  'sandbox/bubblewrap': 'files of the kernel',
  'sandbox/cgroup': 'groups of the kernel',
  'sandbox/network/forward-proxy': 'its socket',
  'sandbox/probe': 'programs of the operator',
  'sandbox/deletion/remove-empty': 'the name of a folder, which it removes without opening it',
  'sandbox/deletion/remove-folder': 'the name of a folder, which it removes without opening it',
  'sandbox/run-processes': 'files of the kernel',
  'sandbox/deletion/trash': 'names of discarded folders',
  'sandbox/shown/hidden-folders': 'programs of the operator',
  'sandbox/walls': 'empty folders for probes and for reading settings',
  'artifacts/content-store': 'sealed files',
  'artifacts/content-writer': 'sealed files',
  'artifacts/remove-runs': 'transcripts',
  'artifacts/s3-store': 'sealed files',
  'artifacts/save-artifacts': 'saved patches',
};

describe("a run's folder", () => {
  it('is opened in the sandbox only: few files open anything, each with its reason', () => {
    const rooms = /^(execution|harnesses|sandbox|artifacts)\//;
    const found = having(/from 'node:fs(\/promises)?'/).filter((name) => rooms.test(name));
    expect(found).toEqual(Object.keys(openers).toSorted());
  });

  it("has a place on this machine that only git's first checkout is told", () => {
    expect(having(/\bhostOf\(/)).toEqual(['execution/files/run-folder', 'execution/git/checkout']);
  });
});
