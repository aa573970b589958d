from lexfield.cli.main import main

main()
