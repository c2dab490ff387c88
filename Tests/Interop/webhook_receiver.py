"""An HTTP server that prints each request, and answers as the test requires.

    webhook_receiver.py PORT [CERTIFICATE KEY]

It prints {"port": PORT}, then a line for each request. Each line of its input is a list of behaviors for the following
requests, such as ["503", "hang", "200"]. After the last one, it answers with 200.
"""

import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

behaviors = []


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        behavior = behaviors.pop(0) if behaviors else "200"
        report(path=self.path, headers=dict(self.headers.items()), body=body, behavior=behavior)
        self.close_connection = True
        if behavior == "hang":
            threading.Event().wait(300)
        elif behavior == "hang up":
            pass
        elif behavior == "nonsense":
            self.wfile.write(b"220 smtp.example.org ESMTP\r\n" * 10)
        elif behavior == "endless":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            self.flood(b"x" * 65536)
        elif behavior == "endless head":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            self.flood(b"X-Filler: " + b"x" * 65000 + b"\r\n")
        else:
            self.send_response(int(behavior))
            if behavior[0] == "3":
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

    do_GET = do_POST

    def flood(self, data):
        try:
            for _ in range(1 << 16):
                self.wfile.write(data)
            report(behavior="flooded")
        except OSError:
            report(behavior="flood refused")

    def log_message(self, *_):
        pass


def report(**line):
    print(json.dumps(line), flush=True)


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    # Handshakes in the threads of the requests, so that a failed one doesn't end the server.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.handle_error = lambda *_: None
threading.Thread(target=server.serve_forever, daemon=True).start()
report(port=server.server_port)
for line in sys.stdin:
    behaviors[:] = json.loads(line)
    report(behaviors=behaviors)
