import { runOperatorCommand } from 'base/process/run-operator-command';
import { runCommand } from './commands.ts';

await runOperatorCommand(() =>
  runCommand(process.argv.slice(2), (text) => process.stdout.write(text)),
);
