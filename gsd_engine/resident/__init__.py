"""The warm engine: one process per home, on a Unix socket, so that a hook costs a connection instead of an import.

server.py    one per home (lock file), its socket, the outbox, its end     app.py       what it answers
starting.py  starting it detached, once                                    client.py    how the command line asks it
The client that Claude Code's hooks run is scripts/hook.py.
"""
