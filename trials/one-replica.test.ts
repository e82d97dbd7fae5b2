import { describeFaults } from './suite.ts';

describeFaults('SQLite', 1);
