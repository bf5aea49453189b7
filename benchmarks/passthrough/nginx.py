"""nginx as a hop: one worker that keeps its connections to the service open."""

import shutil
import socket

from benchmarks.processes import Servers

# Bodies are small enough for memory, but nginx makes its folders whether they are used or not.
CONFIG = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr error;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    keepalive_requests 100000000;
    upstream service {{ server 127.0.0.1:{service_port}; keepalive 32; keepalive_requests 100000000; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://service;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
    }}
}}
"""


async def start_nginx(servers: Servers, service_port: int) -> int | None:
    """Start it and return its port, or None where it is not installed."""
    program = shutil.which("nginx")
    if program is None:
        return None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    folder = servers.folder / "nginx"
    folder.mkdir()
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, service_port=service_port, port=port), "utf-8")
    return await servers.start(
        "nginx", [program, "-e", "stderr", "-p", str(folder), "-c", str(config)], port=port
    )
