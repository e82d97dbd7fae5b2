import { execFileSync } from 'node:child_process';
import { deniedCalls } from '../../src/sandbox/system-calls.ts';
import type { Attack } from './attacks.ts';

/** Makes a system call by its number with Perl, which is on every Debian. */
const perl = (script: string) => `perl -e '${script.replaceAll('\n', ' ')}'`;

const isArm = process.arch === 'arm64';
const numberOf = (name: keyof typeof deniedCalls) => deniedCalls[name][isArm ? 'arm64' : 'x64'];
const socketNumber = isArm ? 198 : 41;

/**
 * Pattern of errors that deny a call: EPERM, ENOSYS, EAFNOSUPPORT, and ESOCKTNOSUPPORT for families that need a
 * module.
 */
const rejections = '(1|38|97|94)';
/** Attack whose script doesn't depend on the attack bed. */
type CallAttack = Attack & { script: () => string };

const attempt = (name: string, number: number, args: string): CallAttack => ({
  name,
  script: () =>
    perl(`my $b = "\\0" x 256; my $got = syscall(${number}, ${args});
      print "PWNED\\n" if $got >= 0 || ($!+0) !~ /^${rejections}$/`),
});
const call = (name: keyof typeof deniedCalls, args: string) =>
  attempt(`call ${name}`, numberOf(name), args);
const family = (name: string, number: number, kind: number) =>
  attempt(`open a socket of the family ${name}`, socketNumber, `${number}, ${kind}, 0`);

/** Key in the session keyring of the service's process, and its content. */
const serviceKey = { name: 'slash-agent-test', secret: 'secret-in-a-keyring' };
const userKey = `"user", "${serviceKey.name}"`;

/** Prefix that starts a program in a new session keyring with this key. */
export const withServiceKey = [
  'perl',
  '-e',
  `my $secret = "${serviceKey.secret}"; syscall(${numberOf('keyctl')}, 1, 0) > 0 or die "keyctl: $!";
   my ($type, $name) = (${userKey});
   syscall(${numberOf('add_key')}, $type, $name, $secret, length $secret, -3) > 0 or die "add_key: $!";
   exec @ARGV`,
];

const keySearch = 10;
const keyRead = 11;
const keyringAttacks: CallAttack[] = [
  {
    name: "read a key in the service's keyring",
    script: () =>
      perl(`my ($type, $name, $b) = (${userKey}, "\\0" x 64);
        my $id = syscall(${numberOf('keyctl')}, ${keySearch}, -3, $type, $name, 0);
        print "PWNED\\n" if $id > 0 && syscall(${numberOf('keyctl')}, ${keyRead}, $id, $b, 64) > 0`),
  },
  {
    name: "find a key of the service by its name, with what it's for",
    script: () =>
      perl(`my ($type, $name) = (${userKey});
        print "PWNED\\n" if syscall(${numberOf('request_key')}, $type, $name, 0, 0) > 0`),
  },
  {
    name: 'leave a key where agents of other conversations look for it',
    script: () =>
      perl(`my ($type, $name, $value) = ("user", "pwned", "x");
        print "PWNED\\n" if syscall(${numberOf('add_key')}, $type, $name, $value, 1, -3) > 0`),
  },
  {
    name: 'list the keys of the machine',
    script: () => 'if grep -q keyring /proc/keys 2>/dev/null; then echo PWNED; fi',
  },
];

const elf32 = () => {
  const code = Buffer.from('b801000000bb2a000000cd80', 'hex');
  const file = Buffer.alloc(84);
  file.write('7f454c46010101', 'hex');
  const [base, headers] = [0x08048000, 84];
  for (const [offset, value] of [
    [16, 2],
    [18, 3],
    [40, 52],
    [42, 32],
    [44, 1],
  ] as const)
    file.writeUInt16LE(value, offset);
  const size = headers + code.length;
  const words = [
    [20, 1],
    [24, base + headers],
    [28, 52],
    [52, 1],
    [60, base],
    [64, base],
  ] as const;
  const more = [
    [68, size],
    [72, size],
    [76, 5],
    [80, 4096],
  ] as const;
  for (const [offset, value] of [...words, ...more]) file.writeUInt32LE(value, offset);
  return Buffer.concat([file, code]).toString('hex');
};

/**
 * Attack with a program of 96 bytes that exits with 42. Its system calls have other numbers than the filter knows.
 */
const call32: CallAttack = {
  name: 'make system calls as a 32-bit program',
  isForBubblewrap: true,
  script: () =>
    `perl -e 'print pack("H*", "${elf32()}")' > call32; chmod +x call32; ./call32; if [ $? = 42 ]; then echo PWNED; fi; rm call32`,
};

const wanted: CallAttack[] = [
  ...keyringAttacks,
  // Only for bubblewrap, because containers have their own session keyring and share the user's.
  { ...call('keyctl', '0, -4, 0'), isForBubblewrap: true },
  call('io_uring_setup', '1, $b'),
  call('io_uring_enter', '-1, 0, 0, 0, 0, 0'),
  call('io_uring_register', '-1, 0, 0, 0'),
  call('userfaultfd', '1'),
  call('bpf', '0, $b, 0'),
  call('perf_event_open', '$b, 0, -1, -1, 0'),
  call('open_by_handle_at', '-1, 0, 0'),
  call('syslog', '10, 0, 0'),
  call('kexec_load', '0, 17, 0, 0'),
  call('kexec_file_load', '-1, -1, 0, 0, 255'),
  call('init_module', '0, 0, 0'),
  call('finit_module', '-1, 0, 0'),
  call('delete_module', '$b, 0'),
  attempt('make system calls by the numbers of x32', 0x40000000 + 39, '0'),
  // Only for bubblewrap, because podman's default filter denies the family only in some versions.
  { ...family('AF_VSOCK', 40, 1), isForBubblewrap: true },
  family('AF_ALG', 38, 5),
  family('AF_PACKET', 17, 3),
  call32,
];

/** Returns true if a call works without a sandbox. Only then does its failure in a sandbox prove anything. */
function worksHere({ script }: CallAttack): boolean {
  const [program = '', ...args] = withServiceKey;
  const inShell = ['sh', '-c', `cd "$(mktemp -d)"; ${script()}`];
  return execFileSync(program, [...args, ...inShell], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).includes('PWNED');
}

export const callAttacks = wanted.filter(worksHere);
/** Calls that can't be tested here, because the kernel doesn't have them or denies them to this user. */
export const notTriable = wanted.filter((each) => !callAttacks.includes(each));
