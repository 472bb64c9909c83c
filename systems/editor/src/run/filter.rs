//! A seccomp filter for the system calls of programs, as classic BPF that is assembled here.
//!
//! Namespaces already isolate a program. The filter also blocks parts of the kernel that ordinary programs do not need
//! and that have had the most vulnerabilities: namespaces and mounts, keys, tracing, BPF, `io_uring`. The filter also
//! refuses memory to which no limit applies (`memfd_create`, System V), and larger socket buffers.

use linux_raw_sys::general as nr;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERRNO: u32 = 0x0005_0000;
const EPERM: u32 = ERRNO + 1;
const EACCES: u32 = ERRNO + 13;
/// The error that a kernel without the system call returns. Programs then fall back to an older call.
const ENOSYS: u32 = ERRNO + 38;

const LOAD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_GREATER: u16 = 0x25;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

// Offsets in `struct seccomp_data`. Both architectures are little-endian, so the low half of an argument comes first.
const CALL: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;
const SECOND_ARGUMENT: u32 = 24;
const THIRD_ARGUMENT: u32 = 32;

#[cfg(target_arch = "x86_64")]
const OURS: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const OURS: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const OURS: Option<u32> = None;

/// The newest system call that was reviewed. For programs, newer calls and those of x32 do not exist.
const NEWEST: u32 = nr::__NR_mseal;

/// `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID` and `NEWNET`.
const NEW_NAMESPACE: u32 = 0x7e02_0000;
const AF_UNIX: u32 = 1;
/// Socket options that would enlarge send buffers: `SO_SNDBUF` and `SO_SNDBUFFORCE`. For Unix sockets, the sender's
/// buffer is the only limit.
const SEND_BUFFERS: [u32; 2] = [7, 32];
/// An `ioctl` request that can inject input into another user's terminal.
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;

const REFUSED: &[u32] = &[
    // other namespaces and file systems
    nr::__NR_unshare,
    nr::__NR_setns,
    nr::__NR_mount,
    nr::__NR_umount2,
    nr::__NR_pivot_root,
    nr::__NR_chroot,
    nr::__NR_open_tree,
    nr::__NR_move_mount,
    nr::__NR_fsopen,
    nr::__NR_fsconfig,
    nr::__NR_fsmount,
    nr::__NR_fspick,
    nr::__NR_mount_setattr,
    nr::__NR_name_to_handle_at,
    nr::__NR_open_by_handle_at,
    // other processes
    nr::__NR_ptrace,
    nr::__NR_process_vm_readv,
    nr::__NR_process_vm_writev,
    nr::__NR_process_madvise,
    nr::__NR_kcmp,
    nr::__NR_pidfd_getfd,
    nr::__NR_move_pages,
    nr::__NR_migrate_pages,
    // keys belong to the user, not to a namespace
    nr::__NR_add_key,
    nr::__NR_request_key,
    nr::__NR_keyctl,
    // a large attack surface with many past vulnerabilities
    nr::__NR_bpf,
    nr::__NR_perf_event_open,
    nr::__NR_userfaultfd,
    nr::__NR_fanotify_init,
    nr::__NR_mbind,
    nr::__NR_set_mempolicy,
    nr::__NR_set_mempolicy_home_node,
    // the machine itself
    nr::__NR_init_module,
    nr::__NR_finit_module,
    nr::__NR_delete_module,
    nr::__NR_kexec_load,
    nr::__NR_kexec_file_load,
    nr::__NR_reboot,
    nr::__NR_swapon,
    nr::__NR_swapoff,
    nr::__NR_acct,
    nr::__NR_quotactl,
    nr::__NR_quotactl_fd,
    nr::__NR_syslog,
    nr::__NR_settimeofday,
    nr::__NR_clock_settime,
    nr::__NR_clock_adjtime,
    nr::__NR_adjtimex,
    nr::__NR_sethostname,
    nr::__NR_setdomainname,
    nr::__NR_vhangup,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[u32] = &[nr::__NR_iopl, nr::__NR_ioperm, nr::__NR_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[u32] = &[];

const ABSENT: &[u32] = &[
    // a filter cannot read the flags, which are behind a pointer; libraries fall back to `clone`
    nr::__NR_clone3,
    nr::__NR_io_uring_setup,
    nr::__NR_io_uring_enter,
    nr::__NR_io_uring_register,
    // memory that belongs to no process
    nr::__NR_memfd_create,
    nr::__NR_memfd_secret,
    nr::__NR_shmget,
    nr::__NR_msgget,
    nr::__NR_semget,
    nr::__NR_mq_open,
];

/// Returns the filter in the kernel's format. `None` on architectures that the filter does not support.
pub(super) fn program() -> Option<Vec<u8>> {
    let mut code = Code(Vec::new());
    code.step(LOAD, 0, 0, ARCHITECTURE);
    code.step(JUMP_EQUAL, 1, 0, OURS?);
    code.step(RETURN, 0, 0, KILL);
    code.step(LOAD, 0, 0, CALL);
    code.step(JUMP_GREATER, 0, 1, NEWEST);
    code.step(RETURN, 0, 0, ENOSYS);
    for &call in REFUSED.iter().chain(REFUSED_HERE) {
        code.refuse(call, EPERM);
    }
    for &call in ABSENT {
        code.refuse(call, ENOSYS);
    }
    code.arguments(
        nr::__NR_socket,
        FIRST_ARGUMENT,
        &[(JUMP_EQUAL, 1, 0, AF_UNIX)],
        EACCES,
    );
    let [set, force] = SEND_BUFFERS;
    let larger = [(JUMP_EQUAL, 1, 0, set), (JUMP_EQUAL, 0, 1, force)];
    code.arguments(nr::__NR_setsockopt, THIRD_ARGUMENT, &larger, EPERM);
    code.arguments(
        nr::__NR_clone,
        FIRST_ARGUMENT,
        &[(JUMP_ANY_BIT, 0, 1, NEW_NAMESPACE)],
        EPERM,
    );
    let terminal = [(JUMP_EQUAL, 1, 0, TIOCSTI), (JUMP_EQUAL, 0, 1, TIOCLINUX)];
    code.arguments(nr::__NR_ioctl, SECOND_ARGUMENT, &terminal, EPERM);
    code.step(RETURN, 0, 0, ALLOW);
    Some(code.0)
}

struct Code(Vec<u8>);

impl Code {
    /// Appends one `struct sock_filter`. Jump offsets count from the next instruction.
    fn step(&mut self, code: u16, if_true: u8, if_false: u8, value: u32) {
        self.0.extend(code.to_ne_bytes());
        self.0.extend([if_true, if_false]);
        self.0.extend(value.to_ne_bytes());
    }

    fn refuse(&mut self, call: u32, with: u32) {
        self.step(JUMP_EQUAL, 0, 1, call);
        self.step(RETURN, 0, 0, with);
    }

    /// Tests one argument of `call`. The tests either continue with the next instruction, which refuses the call, or
    /// skip that instruction.
    fn arguments(&mut self, call: u32, argument: u32, tests: &[(u16, u8, u8, u32)], with: u32) {
        let rest = u8::try_from(tests.len())
            .unwrap_or(u8::MAX)
            .saturating_add(3);
        self.step(JUMP_EQUAL, 0, rest, call);
        self.step(LOAD, 0, 0, argument);
        for &(code, if_true, if_false, value) in tests {
            self.step(code, if_true, if_false, value);
        }
        self.step(RETURN, 0, 0, with);
        self.step(RETURN, 0, 0, ALLOW);
    }
}
