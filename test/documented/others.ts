/** A test or lane that runs the command or the same steps. `words` is a text in that file. */
type Elsewhere = { file: string; words: string };

const ci = (words: string): Elsewhere => ({ file: '.ci/run', words });
const kubernetes = {
  file: 'test/deploy/install.helm.test.ts',
  words: 'the commands of docs/kubernetes.md',
};
const packages = { file: 'test/rules/packages.process.test.ts', words: "'--workspace', name" };
const agents = { file: 'packages/runs-service/test/agents/install.ts', words: 'npm' };
const compose = { file: 'test/deploy/compose.test.ts', words: 'create-secrets.sh' };

/** Pages whose commands are all run by one test, in their order. */
export const pagesRunElsewhere: Record<string, Elsewhere> = {
  'docs/automations.md': {
    file: 'test/journeys/automations/recipes.test.ts',
    words: "'../../../docs/automations.md'",
  },
  'docs/runs-api.md': {
    file: 'test/documented/runs-api.process.test.ts',
    words: "'../../docs/runs-api.md'",
  },
};

/** Commands of README and docs that other tests run. */
export const runElsewhere: Record<string, Elsewhere> = {
  'npm ci': ci('npm ci'),
  'npm run demo': { file: 'test/checkout.process.test.ts', words: "'npm run demo'" },
  'git pull && npm ci && npm run build': ci('npm run build'),
  'npm test': ci('npm test'),
  'npm run lint': ci('npm run lint && npm run types && npm run build'),
  'npm run check': ci('npm run lint && npm run types && npm run build'),
  'npm run test:slow': ci('npm run test:slow'),
  'npm run preview': { file: 'test/preview/preview.test.ts', words: 'golden.txt' },
  'npm run check:blocks': { file: 'test/preview/preview.test.ts', words: 'block-checks' },
  'npm run test:agents': ci('npm run test:agents'),
  'npm ci && npm pack --workspace runs-client': packages,
  'npm ci && npm pack --workspace slack-stand-in': packages,
  'npx slack-stand-in --manifest manifest.yml': {
    file: 'packages/slack-stand-in/test/cli.process.test.ts',
    words: "'--manifest', 'manifest.yml'",
  },
  'npm install --global @anthropic-ai/claude-code': agents,
  'sudo npm install --global @anthropic-ai/claude-code': agents,
  'npm install --global @openai/codex': agents,
  'npm install --global @google/gemini-cli': agents,
  'npm install --global opencode-ai': agents,
  'npx slash-agent try environments.yml "Count them"': {
    file: 'packages/runs-service/test/try-command-bed.ts',
    words: "'try', 'environments.yml', 'Count them'",
  },
  'npx slash-agent run-one': {
    file: 'packages/runs-service/test/support/service/remote-runs.ts',
    words: 'run-one',
  },
  'npx slash-agent check-slack': {
    file: 'test/check-slack.process.test.ts',
    words: "'check-slack', ...args",
  },
  'curl --silent localhost:9464/metrics': {
    file: 'test/metrics/metrics.test.ts',
    words: "get('/metrics')",
  },
  'curl localhost:4800/readyz': {
    file: 'test/documented/steps.ts',
    words: 'untilReady(variables.RUNS_SERVICE_PORT)',
  },
  'curl localhost:3000/healthz': { file: 'test/shutdown.process.test.ts', words: '/healthz' },
  'curl localhost:3000/readyz': { file: 'test/starting.process.test.ts', words: '/readyz' },
  'kill -USR2 <pid>': { file: 'test/start.process.test.ts', words: "kill('SIGUSR2')" },
  'deploy/create-secrets.sh': kubernetes,
  './deploy/create-secrets.sh': compose,
  "printf %s 'xoxb-…' > deploy/secrets/slack_bot_token": compose,
  "printf %s 'xapp-…' > deploy/secrets/slack_app_token": compose,
  "printf %s 'sk-ant-…' > deploy/secrets/agents/anthropic": compose,
  'cd deploy/secrets': kubernetes,
  'rm postgres_password': kubernetes,
  "printf %s 'postgres://user:password@postgres.example.org/slash_agent' > database_url":
    kubernetes,
  "printf %s 'xoxb-…' > slack_bot_token": kubernetes,
  "printf %s 'xapp-…' > slack_app_token": kubernetes,
  "printf %s 'sk-ant-…' > anthropic": kubernetes,
  'cd ../..': kubernetes,
  'kubectl apply --filename deploy/kubernetes/namespaces.yaml': kubernetes,
  'kubectl create secret generic slash-agent --namespace slash-agent --from-file deploy/secrets':
    kubernetes,
  'kubectl apply --kustomize deploy/kubernetes': kubernetes,
  'helm upgrade --install slash-agent deploy/helm/slash-agent --namespace slash-agent --values values.yaml':
    kubernetes,
  'kubectl create secret generic slash-agent --namespace slash-agent --from-file deploy/secrets --dry-run=client --output yaml | kubectl replace --filename -':
    kubernetes,
};

const cluster = 'needs a cluster in which our image runs';
const docker = 'needs Docker and the base image, which tests have not';
const systemd =
  'needs a machine on which systemd runs; test/deploy/systemd.test.ts checks the unit';
const hours = 'takes hours, or is a tool of developers that its own page describes';
const words = 'is a word in a sentence, not a command to type as it is';
const others = "is another program's, with nothing of ours in it";

/** Commands of README and docs that no test runs, each with the reason. */
export const notRun: Record<string, string> = {
  'docker build --build-arg AGENTS=@anthropic-ai/claude-code --tag registry.example.org/slash-agent:1 .':
    docker,
  'docker push registry.example.org/slash-agent:1': docker,
  'docker build -t slash-agent .': docker,
  'docker run --env-file .env -v slash-agent:/app/data slash-agent': docker,
  'docker run --rm --env-file .env -v slash-agent:/app/data slash-agent doctor': docker,
  'cp environments.yml deploy/environments.yml': 'copies a file that only the reader has',
  'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0': others,
  'AGENTS=@anthropic-ai/claude-code docker compose --file deploy/compose.yml up --build --detach':
    docker,
  'docker compose --file deploy/compose.yml exec bot slash-agent doctor': docker,
  'docker compose --file deploy/compose.yml ps': docker,
  'docker compose --file deploy/compose.yml exec -T bot': words,
  'docker compose --file deploy/compose.yml logs --tail 100 bot': docker,
  'docker compose --file deploy/compose.yml restart bot': docker,
  'docker compose --file deploy/compose.yml logs --tail 100 postgres': docker,
  'curl https://slack.com/api/api.test': others,
  'sudo systemctl enable --now slash-agent': systemd,
  'sudo systemctl restart slash-agent': systemd,
  'sudo -u slash-agent npx slash-agent doctor': systemd,
  'sudo journalctl --unit slash-agent --follow': systemd,
  'sudo journalctl --unit slash-agent --lines 100': systemd,
  'du -sh data/*': others,
  'kubectl rollout status statefulset/runs-service --namespace slash-agent': cluster,
  'kubectl rollout status deployment/bot --namespace slash-agent': cluster,
  'kubectl logs statefulset/runs-service --namespace slash-agent': cluster,
  'kubectl exec deployment/bot --namespace slash-agent -- slash-agent doctor': cluster,
  'kubectl get pods --namespace slash-agent': cluster,
  'kubectl port-forward deployment/bot 9464:9100 --namespace slash-agent': cluster,
  'kubectl describe pods --namespace slash-agent': cluster,
  'kubectl logs deployment/bot --namespace slash-agent --tail 100': cluster,
  'kubectl rollout restart deployment/bot --namespace slash-agent': cluster,
  'kubectl get jobs,pods --namespace slash-agent-runs --watch': cluster,
  'kubectl rollout restart deployment/bot statefulset/runs-service --namespace slash-agent':
    cluster,
  'kubectl apply --filename deploy/kubernetes/pod-monitor.yaml': cluster,
  'helm uninstall': words,
  'kubectl logs': words,
  'kubectl delete job': words,
  'kill -9': words,
  'git clone': words,
  'git pull': words,
  'git clone --local': words,
  'npm install': words,
  'npx slash-agent runs-service': words,
  'npx slash-agent usage export': words,
  'npx slash-agent runs-service keys add <name>': words,
  'apt install bubblewrap': others,
  'sudo apt install bubblewrap': others,
  'openssl rand -base64 32': others,
  'openssl rand -hex 32': others,
  'pg_dump --format=custom --file 2026-11-23.dump "$DATABASE_URL"': others,
  'pg_restore --clean --if-exists --dbname "$DATABASE_URL" FILE': others,
  'docker compose --file deploy/compose.yml exec -T postgres pg_dump --format=custom --username slash_agent slash_agent > 2026-11-23.dump':
    docker,
  'docker compose --file deploy/compose.yml exec -T postgres pg_restore --clean --if-exists --username slash_agent --dbname slash_agent < FILE':
    docker,
  'prometheus --config.file=deploy/prometheus.yml': 'scrapes the ports of compose, with Docker',
  'npm install ../slash-agent/runs-client-0.1.0.tgz': "names a folder next to the reader's own",
  'npm install --save-dev ../slash-agent/slack-stand-in-0.1.0.tgz':
    "names a folder next to the reader's own",
  'npm install --package-lock-only': others,
  'npm run format': 'changes the sources that tests run from',
  'npm run test:all': hours,
  'npm run test:slow -- postgres': 'is a part of npm run test:slow',
  'npx vitest run --config test/vitest.config.ts test/policy/policy-file.test.ts':
    'is how the fast lane runs, for one file',
  'npm run test:sandbox': 'is a part of npm run test:slow',
  'npm run test:faults': hours,
  'npm run test:faults -- -t freezes': hours,
  'npm run simulate': hours,
  'npm run simulate -- --seeds 10000': hours,
  'npm run simulate -- --seed 443': hours,
  'npm run simulate:planted': hours,
  'npm run test:planted': hours,
  'npm run test:planted -- --lane fast': hours,
  'npm run test:planted -- a-mask-ends-too-early': hours,
  'npm run bench -- <name>': hours,
  'npm run bench -- service [runs]': hours,
  'npm run bench -- following events': hours,
  'npm run bench -- home [requests]': hours,
  'npm run bench -- ack [rounds] [delivery] [--cpu-prof]': hours,
  'npm run bench -- start [rounds]': hours,
  'npm run bench -- linear-time [part of a name]': hours,
  'npm run bench -- load half|full|double': hours,
  'npm run bench -- gateway': hours,
  'npm run bench -- automations': hours,
  'npm run bench -- load draw': hours,
  'npm run bench -- load': hours,
};
