import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Folders of the operator that agents see, from `read_only` and `writable` of an environment. */
export type Mounts = { read_only?: string[] | undefined; writable?: string[] | undefined };

/**
 * Paths of programs and of files that they need. /opt and /usr/src are left out, because services keep settings and
 * data there.
 */
export const systemPaths = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'local', 'share', 'include'].map(
    (name) => `/usr/${name}`,
  ),
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'],
  ...[
    ...['alternatives', 'ca-certificates', 'fonts', 'group', 'hosts', 'ld.so.cache', 'ld.so.conf'],
    ...['ld.so.conf.d', 'localtime', 'mime.types', 'nsswitch.conf', 'os-release', 'passwd'],
    ...['pki/ca-trust', 'pki/tls/certs', 'protocols', 'resolv.conf', 'services', 'timezone'],
    ...['ssl/cert.pem', 'ssl/certs', 'ssl/openssl.cnf'],
  ].map((name) => `/etc/${name}`),
];

/** Returns the innermost folder that contains a path and that agents see. Undefined if agents don't see the path. */
function shownRoot(
  path: string,
  { read_only: readOnly = [], writable = [] }: Mounts,
): string | undefined {
  const all = [...systemPaths, ...readOnly, ...writable];
  const around = all.filter((each) => path === each || path.startsWith(`${each}/`));
  return around.sort((one, other) => other.length - one.length)[0];
}

/** Returns true if agents see a file of the machine. */
export const isShown = (path: string, mounts: Mounts): boolean =>
  shownRoot(path, mounts) !== undefined;

/**
 * Returns the folders that a program needs and that bubblewrap hides. Returns undefined for a missing program,
 * because the checkout can still contain it.
 */
export function hiddenFolders(program: string, path: string, mounts: Mounts): string[] | undefined {
  const found = findExecutables(program, path).map((file) =>
    hiddenFoldersOf(file, path, mounts, maxScripts),
  );
  const [first] = found;
  if (found.some(({ size }) => size === 0) || !first) return first && [];
  return [...first].filter((each) => ![...first].some((other) => each.startsWith(`${other}/`)));
}

/** Max number of interpreters to follow, because a script's interpreter can be a script. */
const maxScripts = 4;
/** Max links that Linux follows in one path. */
const maxLinks = 40;

function findExecutables(program: string, path: string): string[] {
  const isFile = program.includes('/');
  const files = isFile ? [program] : path.split(delimiter).map((each) => join(each, program));
  return files.filter((file) => isAbsolute(file) && isExecutable(file));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the folders that a program needs and that bubblewrap hides. They contain the program, links to it, or its
 * interpreter.
 */
function hiddenFoldersOf(file: string, path: string, mounts: Mounts, scripts: number): Set<string> {
  const hidden = new Set<string>();
  let end = file;
  for (let next: string | undefined = file, links = 0; next && links < maxLinks; links += 1) {
    end = next;
    if (!isShown(end, mounts)) hidden.add(folderOf(end));
    next = followLink(end, mounts);
  }
  const interpreter = scripts > 0 ? interpreterOf(end) : undefined;
  if (interpreter === undefined) return hidden;
  const [first, ...others] = findExecutables(interpreter, path).map((each) =>
    hiddenFoldersOf(each, path, mounts, scripts - 1),
  );
  if (first && others.every(({ size }) => size > 0)) for (const each of first) hidden.add(each);
  return hidden;
}

/**
 * Returns the target of the first link in a path, followed by the rest of the path. In a sandbox, folders above a mount
 * are never links.
 */
function followLink(file: string, mounts: Mounts): string | undefined {
  const root = shownRoot(file, mounts) ?? dirname(file);
  let at = root;
  const names = relative(root, file).split(sep).filter(Boolean);
  for (const [index, name] of names.entries()) {
    at = join(at, name);
    const target = linkTarget(at);
    if (target !== undefined) return resolve(dirname(at), target, ...names.slice(index + 1));
  }
  return undefined;
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // Return undefined, because the file is no link.
    return undefined;
  }
}

/** Returns the smallest folder that seems to contain all files of the program. */
function folderOf(file: string): string {
  const installed = /^(.+)\/(?:bin|lib)\//.exec(file)?.[1];
  const isInstallation = installed !== undefined && !isPersonal(installed) && hasBoth(installed);
  if (isInstallation) return installed;
  return /^(.*?\/node_modules)\//.exec(file)?.[1] ?? dirname(file);
}

const hasBoth = (folder: string) =>
  existsSync(join(folder, 'bin')) && existsSync(join(folder, 'lib'));

/** Returns true for a home folder, which can contain keys. */
const isPersonal = (folder: string) =>
  [homedir(), '/root'].includes(folder) ||
  dirname(folder) === '/home' ||
  basename(folder) === '.local';

/** Reads the interpreter from the first line of a script, such as `#!/usr/bin/env node` or `#!/bin/sh`. */
function interpreterOf(file: string): string | undefined {
  const [program = '', ...args] = readShebang(file);
  if (basename(program) !== 'env') return program || undefined;
  return args.find((each) => !each.startsWith('-') && !each.includes('='));
}

const maxShebangBytes = 256;

function readShebang(file: string): string[] {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const start = Buffer.alloc(maxShebangBytes);
    const text = start.toString('latin1', 0, readSync(descriptor, start, 0, maxShebangBytes, 0));
    return /^#!\s*([^\n]*)/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
  } catch {
    // Return no interpreter for a program that can't be read. Programs can be executable but not readable.
    return [];
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
