import { describeFaults } from './suite.ts';

describeFaults('PostgreSQL', 3);
