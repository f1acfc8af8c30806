"""A Slurm cluster on this machine: a controller and several nodes, each a slurmd with its own name and port.

Everything is in one folder: keys, sockets, states, logs. Nothing of the system's own Slurm is used, and no systemd. Its programs are
ended by their ids. It needs the Debian packages slurm-wlm and munge, and root, because slurmd starts jobs as other users.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo", "scancel"]


def missing():
    """What keeps a cluster from being started, as a clause; None if nothing does."""
    if os.geteuid() != 0:
        return "a cluster needs root"
    without = [program for program in PROGRAMS if shutil.which(program, path=search_path()) is None]
    return f"{', '.join(without)} missing; install slurm-wlm and munge" if without else None


def search_path():
    return os.environ["PATH"] + ":/usr/sbin:/sbin"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


CONFIGURATION = """\
ClusterName=arborist
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A requeued job waits as long as its credential is valid.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=5
SlurmdTimeout=15
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    """A running cluster with the nodes n1, n2, ..., each with one processor."""

    def __init__(self, folder, count):
        self.folder = pathlib.Path(folder)
        self.nodes = [f"n{number}" for number in range(1, count + 1)]
        self.running = []
        self.daemons = {}
        (self.folder / "state").mkdir(parents=True)
        os.chmod(self.folder, 0o755)
        controller, *ports = free_ports(count + 1)
        line = "NodeName={} NodeHostname={} NodeAddr=127.0.0.1 Port={} CPUs=1 State=UNKNOWN"
        host = socket.gethostname().split(".")[0]
        nodes = [line.format(node, host, port) for node, port in zip(self.nodes, ports)]
        configuration = CONFIGURATION.format(
            host=host, controller=controller, folder=self.folder, nodes="\n".join(nodes)
        )
        (self.folder / "slurm.conf").write_text(configuration)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"), PATH=search_path())

    def __enter__(self):
        try:
            key = self.folder / "munge.key"
            key.write_bytes(os.urandom(128))
            key.chmod(0o600)
            file = lambda option, name: f"--{option}={self.folder / name}"
            self.start(
                ["munged", "--foreground", "--force", file("key-file", "munge.key"), file("socket", "munge.socket")]
                + [file("pid-file", "munged.pid"), file("log-file", "munged.log"), file("seed-file", "munged.seed")]
            )
            wait("munged", (self.folder / "munge.socket").exists)
            self.start(["slurmctld", "-D"])
            for node in self.nodes:
                self.daemons[node] = self.start(["slurmd", "-D", "-N", node])
            wait("all nodes", lambda: self.states() == {node: "idle" for node in self.nodes})
            return self
        except BaseException:
            self.end()
            raise

    def __exit__(self, *_):
        self.end()

    def start(self, command):
        log = open(self.folder / f"{command[0]}-{len(self.running)}.out", "wb")
        program = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.running.append(program)
        return program

    def end(self):
        """Ends all jobs, then the programs in the opposite order."""
        if len(self.running) > 1:
            self.call("scancel", "--user=root", check=False)
            deadline = time.monotonic() + 30
            while self.call("squeue", "--noheader", check=False).strip() and time.monotonic() < deadline:
                time.sleep(0.2)
        for program in reversed(self.running):
            program.send_signal(signal.SIGTERM)
            # One that is suspended does not end.
            program.send_signal(signal.SIGCONT)
            try:
                program.wait(20)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self.running = []

    def call(self, *command, check=True, **options):
        """Runs a program of Slurm, and returns what it prints."""
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, text=True, **options)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}")
        return done.stdout

    def states(self):
        """The state of each node."""
        lines = self.call("sinfo", "--Node", "--noheader", "--format=%N %T", check=False).splitlines()
        return dict(line.split() for line in lines)

    def suspend(self, node):
        """Lets the controller hear nothing of a node any more. Its jobs go on."""
        self.daemons[node].send_signal(signal.SIGSTOP)

    def resume(self, node):
        self.daemons[node].send_signal(signal.SIGCONT)

    def jobs(self):
        """The jobs that have not ended: the id as scancel takes it, its state and its node."""
        lines = self.call("squeue", "--array", "--noheader", "--format=%i|%T|%N").splitlines()
        return [line.split("|") for line in lines]


def node_at(port):
    """The node of the job whose connection comes from this port of this machine; None if there is none."""
    local = f"0100007F:{port:04X}"
    lines = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    socket_ = next((f"socket:[{line[9]}]" for line in lines if line[1] == local), None)
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(file) == socket_ for file in (process / "fd").iterdir()):
                variables = (process / "environ").read_bytes().split(b"\0")
                names = [one.split(b"=", 1)[1].decode() for one in variables if one.startswith(b"SLURMD_NODENAME=")]
                return names[0] if names else None
        except OSError:
            continue
    return None


def wait(what, is_so, seconds=60):
    """Waits until something is so."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.1)
