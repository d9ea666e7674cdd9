"""Superset in one process: makes its own database where there is none, imports a folder twice, and serves.

Reads lines: one that names the folder. Says on standard output, in lines of JSON, how far it is.
"""

import json
import os
import sys

from flask.cli import ScriptInfo
from superset.app import create_app
from superset.cli.main import superset
from werkzeug.serving import make_server

# The app makes an empty file.
is_made = os.path.exists("superset.db")
app = create_app()


def run(*arguments):
    superset.main(args=list(arguments), standalone_mode=False, obj=ScriptInfo(create_app=lambda: app))


def say(**told):
    print("\n" + json.dumps(told), flush=True)


if not is_made:
    run("db", "upgrade")
    run("init")
    run(
        *("fab", "create-admin", "--username", "admin", "--password", "admin"),
        *("--firstname", "A", "--lastname", "B", "--email", "admin@example.com"),
    )
say(step="made")
folder = sys.stdin.readline().strip()
if folder:
    # Once where nothing is, and once over itself.
    run("import-directory", folder, "--overwrite")
    run("import-directory", folder, "--overwrite")
    server = make_server("127.0.0.1", 0, app, threaded=True)
    say(step="serves", port=server.server_port)
    server.serve_forever()
