/** Part of `npm run lint`: prints each place that breaks the rules of docs/language.md. */
import { findLanguageProblems } from './language-rules.ts';

const problems = findLanguageProblems();
for (const { file, line, phrase } of problems) process.stderr.write(`${file}:${line} ${phrase}\n`);
if (problems.length > 0) {
  process.stderr.write(`${problems.length} places break the rules of docs/language.md.\n`);
  process.exitCode = 1;
}
