from gsd_engine.cli import main

main()
