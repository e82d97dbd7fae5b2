import { describeFaults } from './suite.ts';

describeFaults({ database: 'SQLite', replicas: 1 });
