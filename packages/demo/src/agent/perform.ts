import { readFile, rm, writeFile } from 'node:fs/promises';
import { sleep } from 'base/sleep';
import { DemoFailure } from './demo-failure.ts';
import type { Model } from './model.ts';
import type { People } from './people.ts';
import { findByWord, findInside, type ProjectFile, readProjectFiles } from './project-files.ts';
import type { DemoStep } from './understand.ts';

const shownMatches = 40;
const waitPartMs = 5_000;

type Say = (line: string) => void;

/**
 * Carries out one step.
 * @throws DemoFailure if the step says to fail, or names a file or text that doesn't exist
 */
export async function perform(
  step: DemoStep,
  folder: string,
  say: Say,
  people: People,
  model: Model | undefined,
): Promise<void> {
  switch (step.kind) {
    case 'fail':
      throw new DemoFailure(step.reason);
    case 'think':
      return think(step, say, model);
    case 'wait':
      return wait(step.seconds, say);
    case 'replace':
      return replace(step, folder, say);
    case 'add-line':
      return addLine(step, folder, say);
    case 'delete':
      return deleteFile(step.file, folder, say, people);
    case 'choose-file':
      return chooseFile(step.question, await readProjectFiles(folder), say, people);
    case 'ask':
      return say(answered(await people.ask(step.question)));
    case 'count-todos':
      return countTodos(await readProjectFiles(folder), say);
    case 'count-lines':
      return countLines(await readProjectFiles(folder), say);
    case 'list-files':
      return listFiles(await readProjectFiles(folder), say);
    case 'search':
      return search(step.text, await readProjectFiles(folder), say);
    case 'unknown':
      return unknown(say);
  }
}

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;
const cyan = (text: string) => `\u001b[36m${text}\u001b[39m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

type Match = { name: string; number: number; line: string };

function findLines(files: readonly ProjectFile[], fits: (line: string) => boolean): Match[] {
  return files.flatMap(({ name, lines }) =>
    lines.flatMap((line, index) => (fits(line) ? [{ name, number: index + 1, line }] : [])),
  );
}

function showMatches(matches: readonly Match[], say: Say): void {
  for (const { name, number, line } of matches.slice(0, shownMatches))
    say(`  ${cyan(name)}${dim(`:${number}`)}  ${line.trim().slice(0, 160)}`);
  if (matches.length > shownMatches) say(dim(`  … and ${matches.length - shownMatches} more`));
}

function countTodos(files: readonly ProjectFile[], say: Say): void {
  const matches = findLines(files, (line) => /\b(?:TODO|FIXME)\b\s*[:(]/.test(line));
  showMatches(matches, say);
  const names = new Set(matches.map(({ name }) => name));
  say('');
  say(bold(`${plural(matches.length, 'TODO comment')} in ${plural(names.size, 'file')}.`));
}

function countLines(files: readonly ProjectFile[], say: Say): void {
  for (const { name, lines } of files) say(`${String(lines.length).padStart(6)}  ${cyan(name)}`);
  const total = files.reduce((sum, { lines }) => sum + lines.length, 0);
  say('');
  say(bold(`${plural(total, 'line')} in ${plural(files.length, 'file')}.`));
}

function listFiles(files: readonly ProjectFile[], say: Say): void {
  for (const { name } of files) say(`  ${cyan(name)}`);
  say('');
  say(bold(`${plural(files.length, 'file')}.`));
}

function search(text: string, files: readonly ProjectFile[], say: Say): void {
  const wanted = text.toLowerCase();
  const matches = findLines(files, (line) => line.toLowerCase().includes(wanted));
  showMatches(matches, say);
  say('');
  say(bold(`${plural(matches.length, 'line')} with "${text}".`));
}

/**
 * Explains which requests the demo agent understands. Prints one paragraph, because the last paragraph becomes the
 * answer.
 */
function unknown(say: Say): void {
  say("The demo agent has no language model, so it can't do this. It understands simple requests:");
  for (const example of [
    'count the TODO comments',
    'search for water',
    'add a line "Made with care." to README.md',
  ])
    say(`• ${example}`);
  say('Combine several with "then".');
}

/** Asks the model several times, so that people can see what a run costs. */
async function think(
  { about, times }: { about: string; times: number },
  say: Say,
  model: Model | undefined,
): Promise<void> {
  if (!model) return unknown(say);
  for (let turn = 1; turn <= times; turn += 1) {
    say(`${dim(`${turn}.`)} ${await model(`Think about ${about}.`)}`);
    say('');
  }
  say(bold(`Thought about ${about}, ${plural(times, 'time')}.`));
}

async function wait(seconds: number, say: Say): Promise<void> {
  say(`Waiting ${plural(seconds, 'second')}.`);
  for (let leftMs = seconds * 1000; leftMs > 0; leftMs -= waitPartMs) {
    await sleep(Math.min(waitPartMs, leftMs));
    if (leftMs > waitPartMs) say(dim(`  ${Math.round((leftMs - waitPartMs) / 1000)}s left`));
  }
  say('Done waiting.');
}

const answered = (answer: string | undefined): string =>
  answer === undefined ? 'Nobody answered in time.' : green(`You answered: ${answer}`);

/**
 * Deletes a file after someone allows it.
 * @throws DemoFailure if the file doesn't exist
 */
async function deleteFile(name: string, folder: string, say: Say, people: People): Promise<void> {
  const path = await locate(folder, name);
  say(`Asking before I delete ${name}.`);
  const isAllowed = await people.allow(`Delete ${name}`, `rm ${name}`);
  say('');
  if (!isAllowed) return say(`Kept ${name}: deleting it was not allowed.`);
  await rm(path);
  say(green(`Deleted ${name}.`));
}

async function chooseFile(
  question: string,
  files: readonly ProjectFile[],
  say: Say,
  people: People,
): Promise<void> {
  const names = files.map(({ name }) => name).slice(0, shownMatches / 2);
  const chosen = await people.ask(question, names);
  say(answered(chosen));
  const file = files.find(({ name }) => name === chosen);
  if (file) say(bold(`${file.name} has ${plural(file.lines.length, 'line')}.`));
}

async function locate(folder: string, name: string): Promise<string> {
  const path = (await findInside(folder, name)) ?? (await findByWord(folder, name));
  if (path === undefined) throw new DemoFailure(`File "${name}" doesn't exist in this project.`);
  return path;
}

async function replace(
  { from, to, file }: { from: string; to: string; file: string },
  folder: string,
  say: Say,
): Promise<void> {
  const path = await locate(folder, file);
  const parts = (await readFile(path, 'utf8')).split(from);
  if (parts.length === 1) throw new DemoFailure(`${file} doesn't contain "${from}".`);
  await writeFile(path, parts.join(to));
  say(green(`Replaced "${from}" with "${to}" in ${file}, ${plural(parts.length - 1, 'time')}.`));
}

async function addLine(
  { line, file }: { line: string; file: string },
  folder: string,
  say: Say,
): Promise<void> {
  const path = await locate(folder, file);
  const content = await readFile(path, 'utf8');
  const gap = content === '' || content.endsWith('\n') ? '' : '\n';
  await writeFile(path, `${content}${gap}${line}\n`);
  say(green(`Added a line to ${file}.`));
}
