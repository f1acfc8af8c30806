"""A proxy between git and `git daemon` that can cut a push off: the remote repository gets it, and its answer is lost."""

import socket
import threading
import time


class Proxy:
    """Passes connections on to a port of this machine."""

    def __init__(self, target):
        self.target = target
        self.lock = threading.Lock()
        self.to_cut = 0
        self.cut = 0
        self.is_away = False
        self.is_cut_off = None
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def cut_off(self, whose):
        """Calls for which `whose` is true, given the port from which they come, get no answer from now on; None ends that."""
        self.is_cut_off = whose

    def cut_next(self, count):
        """The answers to the next pushes are lost."""
        with self.lock:
            self.to_cut += count

    def end(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        if self.is_away:
            client.close()
            return
        if (whose := self.is_cut_off) and whose(client.getpeername()[1]):
            while self.is_cut_off is whose:
                time.sleep(0.1)
            client.close()
            return
        try:
            # The first line says which service git asks for. Its length comes before it.
            request = receive(client, 4)
            request += receive(client, int(request, 16) - 4)
            server = socket.create_connection(("127.0.0.1", self.target))
        except (OSError, ValueError):
            client.close()
            return
        connection = Connection(self, client, server, b"git-receive-pack" in request)
        try:
            server.sendall(request)
        except OSError:
            pass
        threading.Thread(target=connection.upwards, daemon=True).start()
        connection.downwards()


def receive(end, count):
    """Exactly so many bytes."""
    data = b""
    while len(data) < count:
        more = end.recv(count - len(data))
        if not more:
            raise OSError("the connection was closed")
        data += more
    return data


class Connection:
    """One call of git."""

    def __init__(self, proxy, client, server, is_push):
        self.proxy, self.client, self.server, self.is_push = proxy, client, server, is_push
        self.has_sent = False

    def upwards(self):
        """From git to the daemon."""
        try:
            while data := self.client.recv(65536):
                # A push that changes nothing only ends the conversation.
                self.has_sent = self.has_sent or data != b"0000"
                self.server.sendall(data)
            self.server.shutdown(socket.SHUT_WR)
        except OSError:
            # Otherwise the daemon would wait for whoever was killed, and soon for too many to answer anybody else.
            shut(self.server)

    def downwards(self):
        """From the daemon to git. What comes after git has sent something is the answer to a push."""
        cut = answered = False
        try:
            while data := self.server.recv(65536):
                if self.is_push and self.has_sent and not answered:
                    answered = True
                    with self.proxy.lock:
                        cut = self.proxy.to_cut > 0
                        self.proxy.to_cut -= cut
                        self.proxy.cut += cut
                    if cut:
                        self.client.shutdown(socket.SHUT_RDWR)
                if not cut:
                    self.client.sendall(data)
        except OSError:
            pass
        for end in (self.client, self.server):
            shut(end)
            end.close()


def shut(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
