#!/usr/bin/python3
"""How fast a profile comes home: npuprof against the usual ways, over one real sshd.

  transfer_bench.py --build build/release [--megabytes 1000] [--link loopback|1g40|100m40] [--runs 3] [--only WAY ...]

Ways: npuprof, npuprof_no_evidence, npuprof_one_file, tar_paramiko (tar czf, paramiko's get, tar xzf), scp, rsync,
tar_zstd (ssh tar | zstd -1, zstd -d | tar x). Each begins with the directory ready on the host and ends with the files
at home; npuprof's end verified, hashed and read. Prints a line a run and a table of medians. The emulated links need
root (two network namespaces and a TUN line)."""
import argparse
import contextlib
import getpass
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LINKS = {"loopback": None, "1g40": (1000, 20), "100m40": (100, 20), "1g": (1000, 0.1)}
CIPHER = "aes128-gcm@openssh.com"

PARAMIKO = """
import sys, time
import paramiko
host, port, user, key, known, remote, home = sys.argv[1:]
client = paramiko.SSHClient()
client.load_host_keys(known)
client.connect(host, int(port), user, key_filename=key, allow_agent=False, look_for_keys=False)
begin = time.monotonic()
_, out, _ = client.exec_command("cd '%s/..' && tar czf profile.tar.gz '%s'" % (remote, remote.rsplit('/', 1)[1]))
assert out.channel.recv_exit_status() == 0
client.open_sftp().get(remote + '/../profile.tar.gz', home + '/profile.tar.gz')
client.exec_command("rm -f '%s/../profile.tar.gz'" % remote)
import subprocess
subprocess.run(['tar', 'xzf', home + '/profile.tar.gz', '-C', home], check=True)
print(time.monotonic() - begin)
"""


class Server:
    """An sshd of its own: key, configuration, port."""

    def __init__(self, scratch, prefix, address):
        self.prefix, self.address = prefix, address
        self.key, self.known = os.path.join(scratch, "key"), os.path.join(scratch, "known_hosts")
        host_key = os.path.join(scratch, "host_key")
        for path in (self.key, host_key):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        with open(host_key + ".pub", encoding="ascii") as public, open(self.known, "w", encoding="ascii") as known:
            known.write("[%s]:%d %s" % (address, self.port, public.read()))
        config = os.path.join(scratch, "sshd_config")
        with open(config, "w", encoding="ascii") as file:
            file.write("Port %d\nListenAddress %s\nHostKey %s\nAuthorizedKeysFile %s.pub\nStrictModes no\nUsePAM no\n"
                       "PidFile none\nPermitRootLogin yes\nSubsystem sftp internal-sftp\n" % (self.port, address, host_key, self.key))
        os.makedirs("/run/sshd", exist_ok=True)
        self.process = subprocess.Popen([*prefix, "/usr/sbin/sshd", "-f", config, "-D", "-e"],
                                        stderr=subprocess.DEVNULL)
        for _ in range(100):
            if subprocess.run([*self.ssh_command(), "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise RuntimeError("sshd does not answer")

    def options(self):
        return ["-o", "UserKnownHostsFile=" + self.known, "-o", "IdentityFile=" + self.key, "-o", "IdentitiesOnly=yes",
                "-o", "BatchMode=yes", "-F", "/dev/null", "-c", CIPHER]

    def ssh_command(self):
        return [*CLIENT_PREFIX, "ssh", *self.options(), "-p", str(self.port), getpass.getuser() + "@" + self.address]

    def children_cpu(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait()


CLIENT_PREFIX = []


@contextlib.contextmanager
def link(name, build):
    """Gives (prefix of the server's commands, its address); sets the prefix of the client's."""
    if LINKS[name] is None:
        yield [], "127.0.0.1"
        return
    mbps, delay = LINKS[name]
    a, b = "npuprof-a-%d" % os.getpid(), "npuprof-b-%d" % os.getpid()
    run = lambda *argv: subprocess.run(argv, check=True)
    line = None
    try:
        run("ip", "netns", "add", a)
        run("ip", "netns", "add", b)
        line = subprocess.Popen([os.path.join(build, "bin/slow_link"), a, b, str(mbps), str(delay)],
                                stdout=subprocess.PIPE, text=True)
        if line.stdout.readline().strip() != "ready":
            raise RuntimeError("the emulated link did not start")
        for space, address in ((a, "10.99.0.1"), (b, "10.99.0.2")):
            run("ip", "-n", space, "addr", "add", address + "/24", "dev", "tun0")
            run("ip", "-n", space, "link", "set", "tun0", "up", "txqueuelen", "10000")
            run("ip", "-n", space, "link", "set", "lo", "up")
        CLIENT_PREFIX[:] = ["ip", "netns", "exec", a]
        yield ["ip", "netns", "exec", b], "10.99.0.2"
    finally:
        CLIENT_PREFIX[:] = []
        if line:
            line.kill()
            line.wait()
        for space in (a, b):
            subprocess.run(["ip", "netns", "del", space], check=False)


def received_bytes(name):
    device = "lo" if LINKS[name] is None else "tun0"
    argv = [*CLIENT_PREFIX, "cat", "/sys/class/net/%s/statistics/rx_bytes" % device]
    if CLIENT_PREFIX:  # /sys of another network namespace is not seen from here
        out = subprocess.run([*CLIENT_PREFIX, "ip", "-s", "-j", "link", "show", device], capture_output=True, check=True)
        return json.loads(out.stdout)[0]["stats64"]["rx"]["bytes"]
    return int(subprocess.run(argv, capture_output=True, check=True).stdout)


def way_command(way, server, build, remote, home):
    user = getpass.getuser()
    if way.startswith("npuprof"):
        extra = {"npuprof": ["--evidence"], "npuprof_archive": ["--evidence", "--archive"]}.get(way, [])
        if way == "npuprof_one_file":
            remote = os.path.join(remote, "..", "one")
        return [*CLIENT_PREFIX, os.path.join(build, "bin/fetch_once"), "--host", server.address, "--port",
                str(server.port), "--user", user, "--identity", server.key, "--known-hosts", server.known, *extra,
                os.path.realpath(remote), home]
    if way == "tar_paramiko":
        return [*CLIENT_PREFIX, "/usr/bin/python3", "-c", PARAMIKO, server.address, str(server.port), user, server.key,
                server.known, remote, home]
    where = "%s@%s:%s" % (user, server.address, remote)
    if way == "scp":
        return [*CLIENT_PREFIX, "scp", "-q", "-r", *server.options(), "-P", str(server.port), where, home]
    if way == "rsync":
        shell = " ".join(["ssh", *server.options(), "-p", str(server.port)])
        return [*CLIENT_PREFIX, "rsync", "-a", "-e", shell, where, home]
    if way == "tar_zstd":
        ssh = " ".join("'%s'" % part for part in server.ssh_command())
        return ["bash", "-o", "pipefail", "-c", "%s \"tar c -C '%s' . | zstd -1 -T0\" | zstd -d | tar x -C '%s'"
                % (ssh, remote, home)]
    raise SystemExit("no such way: " + way)


def same(a, b):
    return subprocess.run(["diff", "-rq", a, b], stdout=subprocess.DEVNULL, check=False).returncode == 0


def measure(way, server, build, remote, home, link_name):
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    os.sync()
    command = way_command(way, server, build, remote, home)
    far_cpu, bytes_before = server.children_cpu(), received_bytes(link_name)
    near = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, use = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if process.returncode != 0:
        raise RuntimeError("%s failed" % way)
    time.sleep(0.2)  # until sshd has reaped its session
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {"way": way, "seconds": seconds, "wire_mb": (received_bytes(link_name) - bytes_before) / 1e6,
              "cpu_s": after.ru_utime + after.ru_stime - near.ru_utime - near.ru_stime
                       + server.children_cpu() - far_cpu,
              "peak_mb": use.ru_maxrss / 1024}
    if way.startswith("npuprof"):
        told = json.loads(out)
        result.update(seconds=told["seconds"], peak_mb=told["peak_mb"], verdict_s=told["verdict_seconds"], codec=told["codec"],
                      essential_s=told["essential_seconds"])
    elif way == "tar_paramiko":
        result["seconds"] = float(out)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--link", choices=LINKS, default="loopback")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scratch", default=tempfile.gettempdir())
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    ways = options.only or ["npuprof", "npuprof_no_evidence", "npuprof_one_file", "tar_paramiko", "scp", "rsync",
                            "tar_zstd"]
    if LINKS[options.link] and os.geteuid() != 0:
        print("SKIPPED: the link %s needs root" % options.link)
        return 0
    if "tar_paramiko" in ways and subprocess.run(["/usr/bin/python3", "-c", "import paramiko"],
                                                 stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("SKIPPED: tar_paramiko needs the package python3-paramiko")
        ways.remove("tar_paramiko")
    results = {}
    with tempfile.TemporaryDirectory(prefix="npuprof-bench-", dir=options.scratch) as scratch:
        remote, home = os.path.join(scratch, "host", "profile"), os.path.join(scratch, "home")
        # In a process of its own: what this one holds would count as its children's peak.
        subprocess.run([sys.executable, os.path.join(HERE, "profile_data.py"), remote,
                        str(options.megabytes * 1_000_000)], check=True)
        one = os.path.join(scratch, "host", "one")
        os.makedirs(one)
        for directory, _, names in os.walk(remote):
            if "trace_view.json" in names:
                os.link(os.path.join(directory, "trace_view.json"), os.path.join(one, "trace_view.json"))
        with link(options.link, options.build) as (prefix, address):
            server = Server(scratch, prefix, address)
            try:
                for run in range(options.runs):
                    for way in ways:
                        result = measure(way, server, options.build, remote, home, options.link)
                        if run == 0 and way == "npuprof" and not same(remote, os.path.join(home, "profile_l1")):
                            raise RuntimeError("npuprof brought home something else")
                        results.setdefault(way, []).append(result)
                        print(json.dumps({"link": options.link, **result}), flush=True)
            finally:
                server.stop()
    best = {way: statistics.median(r["seconds"] for r in runs) for way, runs in results.items()}
    base = best.get("npuprof")
    print("\n%-20s %9s %9s %8s %8s %9s   (%s, %d MB, median of %d)"
          % ("", "seconds", "x npuprof", "CPU s", "peak MB", "wire MB", options.link, options.megabytes, options.runs))
    for way, runs in results.items():
        middle = {key: statistics.median(r[key] for r in runs) for key in ("cpu_s", "peak_mb", "wire_mb")}
        print("%-20s %9.2f %9s %8.1f %8.0f %9.1f" % (way, best[way], "%.2f" % (best[way] / base) if base else "-",
                                                     middle["cpu_s"], middle["peak_mb"], middle["wire_mb"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
