import { constants } from 'node:os';

const { EAFNOSUPPORT, ENOSYS, EPERM } = constants.errno;

/**
 * System calls that commands in a sandbox can't use: numbers by processor, and the error to return. With ENOSYS, a call
 * seems to be missing in the kernel, so programs use alternatives. The calls are denied because they have no namespace,
 * or because kernels had too many vulnerabilities in them.
 * https://github.com/torvalds/linux/blob/master/arch/x86/entry/syscalls/syscall_64.tbl
 * https://github.com/torvalds/linux/blob/master/include/uapi/asm-generic/unistd.h
 */
export const deniedCalls = {
  // Keyrings are denied because they belong to a user. Runs would share them with each other and with the service.
  add_key: { x64: 248, arm64: 217, error: ENOSYS },
  request_key: { x64: 249, arm64: 218, error: ENOSYS },
  keyctl: { x64: 250, arm64: 219, error: ENOSYS },
  // io_uring is denied because it makes other calls without the filter seeing them.
  io_uring_setup: { x64: 425, arm64: 425, error: ENOSYS },
  io_uring_enter: { x64: 426, arm64: 426, error: ENOSYS },
  io_uring_register: { x64: 427, arm64: 427, error: ENOSYS },
  userfaultfd: { x64: 323, arm64: 282, error: EPERM },
  bpf: { x64: 321, arm64: 280, error: EPERM },
  perf_event_open: { x64: 298, arm64: 241, error: EPERM },
  // open_by_handle_at is denied because it opens any file of the machine by its handle, even a file that isn't
  // mounted.
  open_by_handle_at: { x64: 304, arm64: 265, error: EPERM },
  // syslog is denied because it reads kernel messages about the whole machine.
  syslog: { x64: 103, arm64: 116, error: EPERM },
  kexec_load: { x64: 246, arm64: 104, error: EPERM },
  kexec_file_load: { x64: 320, arm64: 294, error: EPERM },
  init_module: { x64: 175, arm64: 105, error: EPERM },
  finit_module: { x64: 313, arm64: 273, error: EPERM },
  delete_module: { x64: 176, arm64: 106, error: EPERM },
} as const;

/** System calls whose first argument is the socket family. */
const socketCalls = [
  { x64: 41, arm64: 198 },
  { x64: 53, arm64: 199 },
] as const;

/**
 * Socket families that agents can use: AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK. Others, such as AF_VSOCK, have no
 * network namespace.
 */
const allowedFamilies = [1, 2, 10, 16];

/** Values of the kernel's constants AUDIT_ARCH_…, by processor. */
const machines = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
type Machine = keyof typeof machines;

const isSupported = (processor: string): processor is Machine => processor in machines;

/** First call number of x32, which is a second way to make calls on x86_64. */
const firstX32Number = 0x40000000;

/** Offsets of fields in the kernel's `struct seccomp_data`. */
const fieldOffsets = { number: 0, machine: 4, firstArgument: 16 };

type Instruction = { code: number; jumpTrue?: number; jumpFalse?: number; value: number };

const load = (offset: number): Instruction => ({ code: 0x20, value: offset });
const end = (value: number): Instruction => ({ code: 0x06, value });
const allow = end(0x7fff0000);
const kill = end(0x80000000);
const fail = (error: number) => end(0x00050000 + error);

/**
 * Returns an instruction that runs the next one only if the loaded value equals `value`. `ifAtLeast` accepts larger
 * values as well.
 */
const ifEqual = (value: number): Instruction => ({ code: 0x15, jumpFalse: 1, value });
const ifAtLeast = (value: number): Instruction => ({ code: 0x35, jumpFalse: 1, value });

function instructions(processor: Machine): Instruction[] {
  const [socket, socketpair] = socketCalls;
  return [
    load(fieldOffsets.machine),
    // Kill a program that is built for another processor, because its calls have other numbers.
    { code: 0x15, jumpTrue: 1, value: machines[processor] },
    kill,
    load(fieldOffsets.number),
    ...[ifAtLeast(firstX32Number), fail(ENOSYS)],
    ...Object.values(deniedCalls).flatMap((call) => [ifEqual(call[processor]), fail(call.error)]),
    { code: 0x15, jumpTrue: 2, value: socket[processor] },
    { code: 0x15, jumpTrue: 1, value: socketpair[processor] },
    allow,
    load(fieldOffsets.firstArgument),
    ...allowedFamilies.flatMap((family) => [ifEqual(family), allow]),
    fail(EAFNOSUPPORT),
  ];
}

/** Message for a machine whose processor isn't supported, so bubblewrap can't filter system calls. */
export const noFilterProblem = `bubblewrap can't filter system calls on this kind of processor (${process.arch}). Set "isolation: container"`;

/**
 * Returns the filter for `bwrap --seccomp`, in the kernel's classic BPF. Undefined for processors that `machines`
 * doesn't list. https://docs.kernel.org/userspace-api/seccomp_filter.html
 */
export function systemCallFilter(processor: string = process.arch): Buffer | undefined {
  if (!isSupported(processor)) return undefined;
  const program = instructions(processor);
  const filter = Buffer.alloc(program.length * 8);
  for (const [index, { code, jumpTrue = 0, jumpFalse = 0, value }] of program.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(jumpTrue, index * 8 + 2);
    filter.writeUInt8(jumpFalse, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  }
  return filter;
}
