"""A web server on a host of the pretend LAN, which also forwards a guest's requests to Debian's mirrors."""

import http.server
import shutil
import threading
import urllib.error
import urllib.request
from urllib.parse import unquote, urlsplit


class WebServer:
    """Serves a folder, if there is one, under a host name, and is a proxy for all other names.

    Connections are accepted on the host's network. Forwarded requests use this machine's network.
    """

    def __init__(self, host, name=None, folder=None):
        self.host, self.name = host, name
        #: The number of bytes that were served from the folder.
        self.served = 0
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                address = urlsplit(self.path)
                if folder and address.hostname in (None, name):
                    self.serve(folder / unquote(address.path).lstrip("/"))
                else:
                    self.forward()

            def serve(self, path):
                if ".." in path.parts or not path.is_file():
                    self.send_error(404)
                    return
                self.answer(200, {"Content-Length": path.stat().st_size}, path.open("rb"))
                web.served += path.stat().st_size

            def forward(self):
                wanted = {key: value for key, value in self.headers.items() if key in ("If-Modified-Since", "User-Agent", "Range")}
                try:
                    answer = urllib.request.urlopen(urllib.request.Request(self.path, headers=wanted), timeout=60)
                except urllib.error.HTTPError as error:
                    answer = error
                except OSError as error:
                    self.send_error(502, str(error))
                    return
                kept = ("Content-Length", "Last-Modified", "Content-Range")
                self.answer(answer.status, {key: answer.headers[key] for key in kept if key in answer.headers}, answer)

            def answer(self, status, headers, content):
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, str(value))
                self.end_headers()
                with content:
                    shutil.copyfileobj(content, self.wfile)

            def log_message(self, *_):
                pass

        def listen():
            host.enter_network()
            self._server = http.server.ThreadingHTTPServer((host.address, 80), Handler)

        listening = threading.Thread(target=listen)
        listening.start()
        listening.join()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def serve(self, guest):
        """Makes apt in the guest use this server."""
        (guest.root / "etc/apt/apt.conf.d/proxy").write_text(f'Acquire::http::Proxy "http://{self.host.address}";\n')
        if self.name:
            hosts = guest.root / "etc/hosts"
            hosts.write_text(f"{hosts.read_text()}{self.host.address} {self.name}\n")

    def close(self):
        self._server.shutdown()
        self._server.server_close()
