"""Reverse proxies in front of the page: Debian's nginx and Caddy. As when installed, they run as another user."""

from pathlib import Path

from lan import end, until

UNPACKED = Path(__file__).parents[2] / ".build-proxies"
USER = "www-data"

#: The recipes of Documentation/Operation.md.
NGINX = "proxy_pass http://127.0.0.1:{port};"
NGINX_WITH_HEADERS = NGINX + """
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;"""
CADDY = "reverse_proxy 127.0.0.1:{port}"


class Nginx:
    """Serves each name on ports 80 and 443 of an address, with the directives of the name's location."""

    def __init__(self, host, directory, address, sites, certificate, key):
        self.directory = Path(directory)
        self.directory.mkdir()
        servers = "".join(f"""
    server {{
        listen {address}:80;
        listen {address}:443 ssl;
        server_name {name};
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        location / {{
        {location}
        }}
    }}""" for name, location in sites.items())
        paths = "".join(
            f"    {kind}_temp_path {self.directory}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = self.directory / "nginx.conf"
        configuration.write_text(
            f"user {USER};\nworker_processes 1;\npid {self.directory}/pid;\nerror_log {self.directory}/error.log;\n"
            f"events {{}}\nhttp {{\n    access_log off;\n{paths}{servers}\n}}\n")
        self.process = host.popen(UNPACKED / "usr/sbin/nginx", "-c", configuration, "-g", "daemon off;")
        until(lambda: (self.directory / "pid").exists() and listens(host, address), 10, "nginx listens")

    def close(self):
        end(self.process)


class Caddy:
    """Serves each `http://` name on port 80 and each `https://` name on port 443 of an address, with the site's directives."""

    def __init__(self, host, directory, address, sites):
        self.directory = Path(directory)
        self.directory.mkdir()
        self.directory.chmod(0o777)
        blocks = "".join(f"{name} {{\n\tbind {address}\n\t{site}\n}}\n" for name, site in sites.items())
        configuration = self.directory / "Caddyfile"
        configuration.write_text(f"{{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n}}\n{blocks}")
        with open(self.directory / "caddy.log", "wb") as log:
            self.process = host.popen(
                "setpriv", f"--reuid={USER}", "--clear-groups", "--bounding-set=-all,+net_bind_service",
                "--inh-caps=-all,+net_bind_service", "--ambient-caps=-all,+net_bind_service",
                "env", f"HOME={self.directory}", f"XDG_DATA_HOME={self.directory}", f"XDG_CONFIG_HOME={self.directory}",
                UNPACKED / "usr/bin/caddy", "run", "--config", configuration, stdout=log, stderr=log)
        until(lambda: listens(host, address), 20, "Caddy listens")

    def close(self):
        end(self.process)


def listens(host, address):
    return all(f"{address}:{port}" in host.run("ss", "-ltnH").stdout for port in (80, 443))
