import { runCommand } from './commands.ts';
import { runOperatorCommand } from './lib/process/run-operator-command.ts';

await runOperatorCommand(() =>
  runCommand(process.argv.slice(2), (text) => process.stdout.write(text)),
);
