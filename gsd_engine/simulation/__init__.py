"""A simulated Claude Code: the same screens, keys and hooks as the recorded ones, with a scripted model behind them.

It stands in for the real program where that cannot run: in tests and in the demonstration, inside a real tmux pane.

    __main__.py      the command line
    program.py       the event loop: keys in, jobs (turns, slash commands) one at a time, screen out
    turn.py          one prompt: hooks, scripted answers, tools, Stop
    question.py      the AskUserQuestion tool: hooks and the menu race for the answer
    menu.py          the menu as a pure model; menu_view.py draws it
    screen.py        the rest of the screen as a pure function; editor.py is the input line
    keys.py          bytes from the terminal to keys; terminal.py is the terminal itself
    hooks.py         the hooks of a settings file; session.py the payloads they get
    transcript.py    the JSON lines file that hooks may read
    script.py        the scripted model
    dialect.py       everything that differs between versions of Claude Code
"""
