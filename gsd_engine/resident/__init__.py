"""The warm engine: one process per home, on a Unix socket, so that a hook costs a connection instead of an import.

server.py    its socket, the outbox, its end        app.py      what it answers
lock.py      one per home                           starting.py starting it detached, once
client.py    how the command line asks it           address.py  sockets with long paths
The client that Claude Code's hooks run is scripts/hook.py.
"""
