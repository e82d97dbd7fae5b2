import { agentPrograms } from './programs.ts';
import { tryProgram } from './try-program.ts';

tryProgram(agentPrograms.claudeAcp);
