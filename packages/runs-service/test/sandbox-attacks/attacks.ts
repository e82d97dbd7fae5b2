/** Targets of an attack, all outside the run's folder. */
export type Targets = {
  dataDir: string;
  /** The process id of the service. */
  servicePid: number;
  /** Value of a variable of the service's process. */
  serviceSecret: string;
  /** File with mode 600 in a home folder, and its content. */
  homeFile: string;
  homeSecret: string;
  /** Folder of another active run with a secret, and the ports and socket that it listens on. */
  otherRunDir: string;
  otherSecret: string;
  otherPid: number;
  port: number;
  socket: string;
  abstractSocket: string;
  /** Folder that attacks try to write to. A file "pwned" in it shows that an attack worked. */
  outside: string;
  /** Unique sleep duration, by which the test finds processes. */
  seconds: number;
};

export type Attack = {
  name: string;
  /** True if containers stop the attack only with options that not every machine allows. */
  isForBubblewrap?: true;
  /** True for an attack that would end the others of its run, or needs their changes. */
  isAlone?: true;
  /**
   * Returns a shell script. The attack works if the script prints "PWNED", creates a file in `outside`, or leaves a
   * process running.
   */
  script: (targets: Targets) => string;
};

/**
 * Prints PWNED if a command prints the text. The text is split in two, so that the command doesn't find the script
 * itself.
 */
const finds = (text: string, command: string) =>
  `if ${command} 2>/dev/null | tr '\\0' '\\n' | grep -qF '${text.slice(0, 5)}''${text.slice(5)}'; then echo PWNED; fi`;
const works = (command: string) => `if ${command} >/dev/null 2>&1; then echo PWNED; fi`;
const node = (script: string) => `node -e '${script.replaceAll('\n', ' ')}'`;
const connects = (target: string) =>
  node(`require("net").connect(${target}).on("connect", () => { console.log("PWNED"); process.exit() })
    .on("error", () => process.exit())`);

const throughProxy = (options: string, url: string) =>
  `curl -s \${HTTP_PROXY:+-x} $HTTP_PROXY \${HTTP_PROXY:+${options}} --noproxy '' ${url}`;

/** Shell script that creates the same commit on every machine. */
export const makeSubmodule = `git init -q . && echo one > f && echo '* filter=evil' > .gitattributes && git add -A &&
  GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \\
  git -c user.email=x@x.test -c user.name=x commit -qm x`;

/** Shell script that fills the submodule with settings that git obeys when it reads changes. */
const submodule = (settings: string) => `cd sub; ${makeSubmodule}; ${settings}; echo two > f`;

/** Attack for users whose number of processes is limited. */
export const forkBomb: Attack = {
  name: 'start more and more processes',
  isAlone: true,
  script: () =>
    node(`const { spawn } = require("node:child_process");
      for (let n = 0; n < 100; n += 1) spawn("sleep", ["5"]).on("error", () => process.exit(1));
      setTimeout(() => { console.log("PWNED"); process.exit(); }, 2000)`),
};

/** Attack for root. Files of processes are left out, and `/proc/pressure`, which everyone can write. */
export const kernelSettings: Attack = {
  name: 'open a setting of the kernel for writing',
  script: () =>
    `find /proc /sys -path '/proc/[0-9]*' -prune -o -path /proc/self -o -path /proc/thread-self -o -path /proc/pressure -prune -o -type f -perm /222 -print 2>/dev/null |
      perl -ne 'chomp; if (-f $_ && sysopen(my $file, $_, 2049)) { print "PWNED\n"; exit }'`,
};

export const attacks: Attack[] = [
  {
    name: "read the service's database",
    script: ({ dataDir }) => finds('SQLite format', `head -c 15 ${dataDir}/service.db`),
  },
  {
    name: 'read a file with mode 600 in a home folder',
    script: ({ homeFile, homeSecret }) => finds(homeSecret, `cat ${homeFile}`),
  },
  {
    name: "read the variables of the service's process",
    script: ({ servicePid, serviceSecret }) =>
      finds(serviceSecret, `cat /proc/${servicePid}/environ`),
  },
  {
    name: 'read the variables of any process',
    script: ({ serviceSecret }) => finds(serviceSecret, 'cat /proc/[0-9]*/environ'),
  },
  {
    name: 'read the variables of another run',
    script: ({ otherSecret }) => finds(otherSecret, 'cat /proc/[0-9]*/environ'),
  },
  {
    name: "see the service's process",
    script: ({ servicePid }) => works(`test -d /proc/${servicePid}/task`),
  },
  {
    name: "read another run's input",
    script: ({ otherRunDir, otherSecret }) => finds(otherSecret, `cat ${otherRunDir}/input/*`),
  },
  {
    name: 'list other runs',
    script: ({ dataDir, otherRunDir }) =>
      finds(otherRunDir.split('/').at(-1) ?? '', `ls ${dataDir}/work`),
  },
  {
    name: "read a mirror's settings, which can have keys",
    script: ({ dataDir }) => finds('url =', `cat ${dataDir}/mirrors/*/config`),
  },
  {
    name: "change a mirror's objects, which later runs check out",
    script: ({ dataDir }) =>
      works(`sh -c 'for f in ${dataDir}/mirrors/*/objects; do echo x > $f/pwned || exit 1; done'`),
  },
  {
    name: 'read transcripts of other runs',
    script: ({ dataDir }) => works(`ls ${dataDir}/transcripts`),
  },
  {
    name: 'write to the data folder',
    script: ({ dataDir, seconds }) => `touch ${dataDir}/pwned-${seconds}`,
  },
  {
    name: 'write outside of its folder',
    script: ({ outside }) => `touch ${outside}/pwned`,
  },
  {
    name: 'write to a program of the system',
    script: () =>
      works(
        'sh -c "echo > /usr/local/bin/slash-agent-pwned && rm /usr/local/bin/slash-agent-pwned"',
      ),
  },
  {
    name: 'reach a port on the loopback address',
    script: ({ port }) => connects(`${port}, "127.0.0.1"`),
  },
  {
    name: 'reach a port on the loopback address through the proxy',
    script: ({ port }) => throughProxy('', `http://127.0.0.1:${port}`),
  },
  {
    name: 'reach a port on the loopback address through a tunnel of the proxy',
    script: ({ port }) => throughProxy('--proxytunnel', `http://localhost:${port}`),
  },
  {
    name: 'fill the disk with one file',
    isAlone: true,
    isForBubblewrap: true,
    script: () =>
      'head -c 100000000 /dev/zero > f; if [ "$(wc -c < f)" = 100000000 ]; then echo PWNED; fi',
  },
  {
    name: 'use all memory',
    isAlone: true,
    isForBubblewrap: true,
    script: () => node('Buffer.alloc(900e6, 1); console.log("PWNED")'),
  },
  {
    name: 'reach a socket by its path',
    script: ({ socket }) => connects(`"${socket}"`),
  },
  {
    name: 'reach an abstract socket',
    script: ({ abstractSocket }) => finds(abstractSocket, 'cat /proc/net/unix'),
  },
  {
    name: 'signal the service',
    script: ({ servicePid }) => works(`kill -0 ${servicePid}`),
  },
  {
    name: 'signal a process of another run',
    script: ({ otherPid }) => works(`kill -0 ${otherPid}`),
  },
  {
    name: 'survive the end of its run',
    script: ({ seconds }) =>
      `setsid env -i /bin/sleep ${seconds} </dev/null >/dev/null 2>&1 & sleep 0.5`,
  },
  {
    name: 'survive the end with a double fork that ignores signals',
    script: ({ seconds }) =>
      `(trap '' TERM HUP INT; setsid env -i sh -c 'trap "" TERM; sleep ${seconds} & wait' </dev/null >/dev/null 2>&1 &) & sleep 0.5`,
  },
  {
    name: 'swap a folder for a link while the service deletes',
    isAlone: true,
    script: ({ outside }) => `mkdir -p ../../a/deep; ln -s ${outside} ../../b
      setsid env -i sh -c 'while mv -T "$1/b" "$1/c" && mv -T "$1/a" "$1/b" && mv -T "$1/c" "$1/a"; do :; done; touch ${outside}/pwned' sh "$(cd ../.. && pwd)" </dev/null >/dev/null 2>&1 & sleep 0.5`,
  },
  {
    name: 'run a git filter of a submodule as the service',
    isAlone: true,
    script: ({ outside }) =>
      submodule(`git config filter.evil.clean "touch ${outside}/pwned; cat"`),
  },
  {
    name: 'run a git filter process of a submodule as the service',
    isAlone: true,
    script: ({ outside }) => submodule(`git config filter.evil.process "touch ${outside}/pwned"`),
  },
  {
    name: 'run a program of an included git config as the service',
    isAlone: true,
    script: ({ outside }) =>
      submodule(`git config include.path ../../../evil
        git config -f ../../evil filter.evil.clean "touch ${outside}/pwned; cat"`),
  },
  {
    name: 'show a file of the service in its changes, with a git filter',
    isAlone: true,
    script: ({ homeFile, outside, homeSecret }) =>
      submodule(
        `git config filter.evil.clean "grep -q ${homeSecret} ${homeFile} && touch ${outside}/pwned; cat"`,
      ),
  },
  {
    name: 'make a user namespace with all rights in it',
    isForBubblewrap: true,
    script: () => works('unshare --user --map-root-user true'),
  },
  {
    name: 'read the memory of the service',
    script: ({ servicePid }) => works(`head -c 0 /proc/${servicePid}/mem`),
  },
  {
    name: "read the service's open files",
    script: ({ servicePid }) => works(`ls /proc/${servicePid}/fd`),
  },
  {
    name: 'read shared memory of the machine',
    script: ({ homeSecret }) => finds(homeSecret, 'cat /dev/shm/slash-agent-test-*'),
  },
  {
    name: "read what others keep in the machine's temporary folder",
    script: ({ outside }) => works(`ls ${outside}`),
  },
];
