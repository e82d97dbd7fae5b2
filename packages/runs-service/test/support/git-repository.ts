import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const templates = new Map<string, string>();

type Files = Record<string, string>;

/** Creates a git repository in a new folder, with these files in one commit. Returns the folder. */
export const createGitRepository = (folder: string, files: Files): string =>
  copyTemplate(folder, `work tree ${JSON.stringify(files)}`, (made) => makeWorkTree(made, files));

/** Creates a bare repository with the same commit, which accepts pushes over HTTP. Returns the folder. */
export const createBareRepository = (folder: string, files: Files): string =>
  copyTemplate(folder, `bare ${JSON.stringify(files)}`, (made) => makeBare(made, files));

/** Makes a repository once and then copies it, which is cheaper than three git processes. */
function copyTemplate(folder: string, name: string, make: (made: string) => void): string {
  let template = templates.get(name);
  if (template === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'slash-agent-template-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    make(made);
    templates.set(name, made);
    template = made;
  }
  cpSync(template, folder, { recursive: true });
  return folder;
}

function makeBare(folder: string, files: Files): void {
  const source = createGitRepository(mkdtempSync(join(tmpdir(), 'slash-agent-source-')), files);
  const git = (...args: string[]) => execFileSync('git', args, { stdio: 'pipe' });
  git('clone', '--quiet', '--bare', '--template=', source, folder);
  git('-C', folder, 'config', 'http.receivepack', 'true');
  git('-C', folder, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  rmSync(source, { recursive: true });
}

function makeWorkTree(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: folder,
      stdio: 'pipe',
    });
  git('init', '--quiet', '--initial-branch=main', '--template=');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
}
