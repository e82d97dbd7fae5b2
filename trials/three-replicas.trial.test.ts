import { describeFaults } from './suite.ts';

describeFaults({ database: 'PostgreSQL', replicas: 3 });
