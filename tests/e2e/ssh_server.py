"""A real OpenSSH server of the tests' own: free loopback port, own keys, own configuration."""

import getpass
import os
import shutil
import socket
import subprocess
import time


def _key(file, passphrase=""):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", file], check=True)
    return file


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class SshServer:
    def __init__(self, folder, port, process):
        self.folder = folder
        self.port = port
        self.process = process
        self.user = getpass.getuser()
        self.user_key = folder / "user_key"
        self.stranger_key = folder / "stranger_key"
        self.known_hosts = folder / "known_hosts"
        self.host_fingerprint = subprocess.run(
            ["ssh-keygen", "-l", "-f", folder / "host_key.pub"], check=True, capture_output=True, text=True
        ).stdout.split()[1]

    @classmethod
    def start(cls, folder):
        program = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin")
        assert program, "sshd is missing: make deps installs openssh-server"
        folder.chmod(0o700)
        _key(folder / "host_key")
        _key(folder / "user_key")
        _key(folder / "stranger_key")
        shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
        (folder / "authorized_keys").chmod(0o600)
        if os.getuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        for _ in range(5):
            port = free_port()
            (folder / "sshd_config").write_text(
                f"""
                ListenAddress 127.0.0.1:{port}
                HostKey {folder}/host_key
                AuthorizedKeysFile {folder}/authorized_keys
                PidFile none
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                UsePAM no
                StrictModes no
                PermitRootLogin yes
                MaxStartups 100
                Subsystem sftp internal-sftp
                """
            )
            process = subprocess.Popen(
                [program, "-D", "-e", "-f", folder / "sshd_config"],
                stdin=subprocess.DEVNULL,
                stderr=open(folder / "sshd.log", "wb"),
            )
            if cls._answers(port, process):
                host_key = (folder / "host_key.pub").read_text().split()
                (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key[0]} {host_key[1]}\n")
                return cls(folder, port, process)
            process.kill()
            process.wait()
        raise RuntimeError("sshd did not start: " + (folder / "sshd.log").read_text())

    @staticmethod
    def _answers(port, process):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                    return connection.recv(4) == b"SSH-"
            except OSError:
                time.sleep(0.05)
        return False

    def target_fields(self, **changed):
        """What a target's table says to reach this server."""
        return {
            "kind": "ssh",
            "host": "127.0.0.1",
            "port": self.port,
            "user": self.user,
            "identity_file": str(self.user_key),
            "known_hosts": str(self.known_hosts),
            **changed,
        }

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
