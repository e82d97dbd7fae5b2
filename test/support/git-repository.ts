import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const made = new Map<string, string>();

/** A git repository in a new folder, with these files in one commit. @returns the folder */
export function createGitRepository(folder: string, files: Record<string, string>): string {
  const key = JSON.stringify(files);
  const template = made.get(key) ?? makeTemplate(files);
  made.set(key, template);
  cpSync(template, folder, { recursive: true });
  return folder;
}

/** Copying it is cheaper than three processes of git. */
function makeTemplate(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
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
  return folder;
}
